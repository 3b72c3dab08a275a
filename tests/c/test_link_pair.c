/*
 * Pairing [docs/protocol.md, pair, state machines]: every order of events against a model, the clock,
 * failed stores, and the moves of an attacker.
 */
#include "link_peer.h"

static struct world world;
static struct selo_hal hal;
static struct selo_node node;

static unsigned give(const uint8_t *frame, uint8_t size)
{
    world_give(&world, frame, size);
    return world_poll(&node);
}

/* Pairs up to the digits. */
static void compare(struct gateway *gateway)
{
    uint8_t commit[38];

    CHECK(selo_node_pair(&node) == SELO_OK);
    CHECK(world_last_size(&world) == 38);
    memcpy(commit, world_last(&world), 38);
    gateway_start(gateway, selo_node_id(&node));
    CHECK(selo_node_digits(&node) == 0);
    CHECK(give(gateway->key_frame, 37) == EVENT(DIGITS));
    CHECK(world_last_size(&world) == 53);
    CHECK(gateway_derive(gateway, commit, world_last(&world)));
    CHECK(selo_node_digits(&node) == gateway->digits);
}

static void pairs_and_joins(void)
{
    struct gateway gateway;
    struct peer peer;
    uint8_t result[21], accept[58];

    for (int confirmed_first = 0; confirmed_first < 2; confirmed_first++) {
        unsigned stores;
        link_begin(&world, &hal, &node);
        compare(&gateway);
        gateway_result(&gateway, selo_node_id(&node), 0, result);
        stores = world.stores;
        if (confirmed_first) {
            CHECK(selo_node_confirm(&node, 1) == SELO_OK);
            CHECK(world.stores == stores && !selo_node_is_paired(&node));
            CHECK(give(result, 21) == EVENT(PAIRED));
        } else {
            CHECK(give(result, 21) == 0);
            CHECK(world.stores == stores && !selo_node_is_paired(&node));
            CHECK(selo_node_confirm(&node, 1) == SELO_OK);
            CHECK(world_poll(&node) == EVENT(PAIRED));
        }
        CHECK(world.stores == stores + 1 && selo_node_is_paired(&node));
        CHECK(check_is_zero(&node.handshake, sizeof node.handshake));
        CHECK_BYTES(world.record + 8, gateway.device_key, 32);
        CHECK(selo_node_confirm(&node, 1) == SELO_ERROR_STATE);
        CHECK(give(result, 21) == 0); /* a late repetition */
        CHECK(selo_node_join(&node) == SELO_OK);
        CHECK(peer_accept(&peer, accept, world_last(&world), gateway.device_key, 1, 0));
        CHECK(give(accept, 58) == EVENT(JOINED));
        CHECK(selo_node_begin(&node, &hal) == SELO_OK && selo_node_is_paired(&node));
    }
}

/* ---- Every order -------------------------------------------------------------------------------
 *
 * All sequences of these happenings, from a node with an old key and a session. The model is the
 * table of docs/protocol.md, written a second time.
 */
enum happening {
    PAIR, KEY, KEY_OF_OTHER, KEY_ZERO, CONFIRMED, REJECTED, FORGED, SAME, DIFFERENT, LATE, JOIN
};
enum { DEPTH = 5 };

struct model {
    enum { PAIRED_OLD, COMMITTING, COMPARING, PAIRED_NEW, JOINING } state;
    int same, result;
};

struct situation {
    struct selo_node node;
    struct model model;
    struct gateway gateway;
    uint8_t commit[38], reveal[53];
};

/* The model's result of one event: the status of the call, and the node's events. */
static void model_step(struct model *model, enum happening what, enum selo_status *status,
                       unsigned *events)
{
    const int pairing = model->state == COMMITTING || model->state == COMPARING;
    int ended = 0;

    *status = SELO_OK;
    *events = 0;
    switch (what) {
    case PAIR:
        model->state = COMMITTING;
        model->same = model->result = 0;
        return;
    case KEY:
        if (model->state == COMMITTING) {
            model->state = COMPARING;
            *events = EVENT(DIGITS);
        }
        return;
    case KEY_ZERO:
        ended = model->state == COMMITTING;
        break;
    case CONFIRMED:
        model->result |= model->state == COMPARING;
        break;
    case REJECTED:
        ended = model->state == COMPARING;
        break;
    case SAME:
        *status = model->state == COMPARING ? SELO_OK : SELO_ERROR_STATE;
        model->same |= model->state == COMPARING;
        break;
    case DIFFERENT:
        *status = pairing ? SELO_OK : SELO_ERROR_STATE;
        ended = pairing;
        break;
    case LATE:
        ended = pairing;
        break;
    case JOIN:
        *status = pairing ? SELO_ERROR_STATE : SELO_OK;
        if (!pairing) {
            model->state = JOINING;
        }
        return;
    default:
        return;
    }
    if (ended) {
        *events = EVENT(PAIR_FAILED);
        model->state = PAIRED_OLD;
        model->same = model->result = 0;
    } else if (model->state == COMPARING && model->same && model->result) {
        *events = EVENT(PAIRED);
        model->state = PAIRED_NEW;
        model->same = model->result = 0;
    }
}

static void step(struct situation *at, enum happening what)
{
    enum selo_status want, got = SELO_OK;
    unsigned events, told = 0;
    uint8_t frame[58] = {0};
    const uint32_t id = selo_node_id(&node);
    const int was_pairing = at->model.state == COMMITTING || at->model.state == COMPARING;

    model_step(&at->model, what, &want, &events);
    switch (what) {
    case PAIR:
        got = selo_node_pair(&node);
        memcpy(at->commit, world_last(&world), 38);
        break;
    case KEY:
        told = give(at->gateway.key_frame, 37);
        if (told) {
            memcpy(at->reveal, world_last(&world), 53);
            CHECK(gateway_derive(&at->gateway, at->commit, at->reveal));
        }
        break;
    case KEY_OF_OTHER:
        memcpy(frame, at->gateway.key_frame, 37);
        frame[1] ^= 1;
        told = give(frame, 37);
        break;
    case KEY_ZERO:
        frame[0] = SELO_FRAME_PAIR_KEY;
        selo_link_put(frame + 1, id, 4);
        told = give(frame, 37);
        break;
    case CONFIRMED:
    case REJECTED:
        gateway_result(&at->gateway, id, what == REJECTED, frame);
        told = give(frame, 21);
        break;
    case FORGED:
        gateway_result(&at->gateway, id, 0, frame);
        frame[0] ^= 1;
        told = give(frame, 21);
        frame[1] ^= 1;
        told |= give(frame, 21);
        frame[1] ^= 1;
        told |= give(frame, 20);
        break;
    case SAME:
    case DIFFERENT:
        got = selo_node_confirm(&node, what == SAME);
        break;
    case LATE:
        if (was_pairing) { /* only a pairing has a time limit */
            for (int i = 0; i < 150; i++) {
                world.now += SELO_LINK_PAIR_REPEAT;
                told |= world_poll(&node);
            }
        }
        break;
    case JOIN:
        got = selo_node_join(&node);
        break;
    }
    told |= world_poll(&node);
    CHECK(got == want);
    /* If the pairing fails, a join that it has interrupted continues. */
    if (told & EVENT(PAIR_FAILED) && node.state == STATE_JOINING) {
        at->model.state = JOINING;
    }
    if (!CHECK(told == events)) {
        fprintf(stderr, "  happening %d: events %x, want %x\n", what, told, events);
    }
    CHECK(node.state == (at->model.state == COMMITTING  ? STATE_COMMITTING
                         : at->model.state == COMPARING ? STATE_COMPARING
                         : at->model.state == JOINING   ? STATE_JOINING
                                                        : STATE_IDLE));
    CHECK(selo_node_digits(&node) == (at->model.state == COMPARING ? at->gateway.digits : 0));
    if (told & EVENT(PAIRED)) {
        CHECK_BYTES(node.key, at->gateway.device_key, 32);
        CHECK(!selo_node_is_joined(&node));
    } else if (told & EVENT(PAIR_FAILED)) {
        CHECK(selo_node_is_paired(&node));
    }
    CHECK_BYTES(world.record + 8, node.key, 32); /* the stored key is the one in use */
}

static void every_order(void)
{
    static struct situation at[DEPTH + 1];
    static struct world worlds[DEPTH + 1];
    enum happening next[DEPTH + 1] = {PAIR};
    struct peer peer;
    int depth = 0;

    link_join(&world, &hal, &node, &peer, 7, 0);
    CHECK(selo_node_pair(&node) == SELO_OK);
    memcpy(at[0].commit, world_last(&world), 38);
    gateway_start(&at[0].gateway, selo_node_id(&node));
    at[0].node = node;
    at[0].model.state = COMMITTING;
    worlds[0] = world;
    while (depth >= 0) {
        if (depth == DEPTH || next[depth] > JOIN) {
            depth--;
            continue;
        }
        at[depth + 1] = at[depth];
        node = at[depth].node;
        world = worlds[depth];
        step(&at[depth + 1], next[depth]);
        next[depth]++;
        memcpy(at[depth].node.frame, node.frame, sizeof node.frame);
        if (memcmp(&node, &at[depth].node, sizeof node) == 0) {
            continue; /* the node has not changed, so its further behaviour is known */
        }
        at[depth + 1].node = node;
        worlds[depth + 1] = world;
        next[++depth] = PAIR;
    }
}

/* ---- The clock, the device, the attacker ------------------------------------------------------- */

/* The node repeats its last frame every 4 s until it has the result, for 10 minutes in all. */
static void repeats(void)
{
    struct gateway gateway;
    uint8_t commit[38], result[21];
    unsigned sends;

    link_begin(&world, &hal, &node);
    CHECK(selo_node_pair(&node) == SELO_OK);
    memcpy(commit, world_last(&world), 38);
    for (unsigned i = 1; i <= 100; i++) {
        CHECK(world_wait(&world, &node, 3999) == 0 && world.sends == i);
        CHECK(world_wait(&world, &node, 1) == 0 && world.sends == i + 1);
        CHECK_BYTES(world_last(&world), commit, 38);
    }
    gateway_start(&gateway, selo_node_id(&node));
    CHECK(give(gateway.key_frame, 37) == EVENT(DIGITS));
    CHECK(gateway_derive(&gateway, commit, world_last(&world)));
    sends = world.sends;
    CHECK(world_wait(&world, &node, 4000 * 20) == 0 && world.sends == sends + 20);
    CHECK(gateway_derive(&gateway, commit, world_last(&world)));
    gateway_result(&gateway, selo_node_id(&node), 0, result);
    CHECK(give(result, 21) == 0);
    CHECK(world_wait(&world, &node, 4000 * 29 + 3999) == 0 && world.sends == sends + 20);
    CHECK(world_wait(&world, &node, 1) == EVENT(PAIR_FAILED));
    CHECK(world_wait(&world, &node, 100000) == 0 && world.sends == sends + 20);
    CHECK(check_is_zero(&node.handshake, sizeof node.handshake));

    /* A busy transport does not end the pairing. */
    world.send_fails = 1;
    CHECK(selo_node_pair(&node) == SELO_OK);
    world.send_fails = 0;
    CHECK(world_wait(&world, &node, 4000) == 0 && world_last_size(&world) == 38);
}

/* Each attempt has a new key and a new r. */
static void fresh(void)
{
    uint8_t reveal[3][53];
    struct gateway gateway;

    link_begin(&world, &hal, &node);
    for (int i = 0; i < 3; i++) {
        compare(&gateway);
        memcpy(reveal[i], world_last(&world), 53);
        for (int j = 0; j < i; j++) {
            CHECK(memcmp(reveal[i] + 5, reveal[j] + 5, 32) != 0);
            CHECK(memcmp(reveal[i] + 37, reveal[j] + 37, 16) != 0);
        }
    }
}

/* If the record cannot be written, the node is not paired. It keeps using the old key, and tries the
 * store again. */
static void store_fails(void)
{
    struct gateway gateway;
    uint8_t result[21], old[32];

    for (int confirmed_first = 0; confirmed_first < 2; confirmed_first++) {
        link_provision(&world, &hal, &node);
        compare(&gateway);
        gateway_result(&gateway, selo_node_id(&node), 0, result);
        memcpy(old, node.key, 32);
        world.store_fails = 1;
        if (confirmed_first) {
            CHECK(selo_node_confirm(&node, 1) == SELO_OK);
            CHECK(give(result, 21) == 0);
        } else {
            CHECK(give(result, 21) == 0);
            CHECK(selo_node_confirm(&node, 1) == SELO_ERROR_STORE);
        }
        CHECK(node.state == STATE_COMPARING);
        CHECK_BYTES(node.key, old, 32);
        CHECK(selo_node_confirm(&node, 1) == SELO_ERROR_STORE);
        CHECK(world_wait(&world, &node, 20000) == 0 && node.state == STATE_COMPARING);
        world.store_fails = 0;
        CHECK(world_wait(&world, &node, 4000) == EVENT(PAIRED));
        CHECK_BYTES(node.key, gateway.device_key, 32);
    }
}

/* An attacker in the middle gets other digits. The genuine gateway's key arrives too late. */
static void man_in_the_middle(void)
{
    struct gateway attacker, gateway;
    uint8_t commit[38];

    link_begin(&world, &hal, &node);
    CHECK(selo_node_pair(&node) == SELO_OK);
    memcpy(commit, world_last(&world), 38);
    gateway_start(&attacker, selo_node_id(&node));
    gateway_start(&gateway, selo_node_id(&node));
    CHECK(give(attacker.key_frame, 37) == EVENT(DIGITS));
    link_multiplications = 0;
    CHECK(give(gateway.key_frame, 37) == 0); /* one key per attempt */
    CHECK(link_multiplications == 0);
    CHECK(gateway_derive(&attacker, commit, world_last(&world)));
    CHECK(gateway_derive(&gateway, commit, world_last(&world)));
    CHECK(selo_node_digits(&node) == attacker.digits);
    CHECK(attacker.digits != gateway.digits);
}

/* The session under the old key continues during a pairing. A join that becomes due meanwhile starts
 * after the pairing has failed. */
static void beside(void)
{
    struct peer peer;
    struct gateway gateway;
    uint8_t frame[58];

    link_join(&world, &hal, &node, &peer, 7, 0);
    compare(&gateway);
    CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK);
    CHECK(give(frame, peer_down(&peer, frame, 0, 0, "y", 1)) == EVENT(RECEIVED));
    for (int i = 0; i < 40; i++) {
        CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK);
    }
    CHECK(world_poll(&node) == EVENT(LOST) && node.state == STATE_COMPARING);
    CHECK(selo_node_confirm(&node, 0) == SELO_OK);
    CHECK(world_poll(&node) == EVENT(PAIR_FAILED) && node.state == STATE_JOINING);
    CHECK(selo_node_pair(&node) == SELO_OK && node.state == STATE_COMMITTING);
    CHECK(selo_node_confirm(&node, 0) == SELO_OK);
    CHECK(world_poll(&node) == EVENT(PAIR_FAILED) && node.state == STATE_JOINING);
    link_answer(&world, &node, &peer, 8, 0);
}

int main(void)
{
    pairs_and_joins();
    every_order();
    repeats();
    fresh();
    store_fails();
    man_in_the_middle();
    beside();
    return check_report("link_pair");
}
