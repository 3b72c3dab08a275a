/*
 * Hybrid pairing [docs/protocol.md, hybrid pairing]: the whole way with a gateway that has the key in
 * memory, lost and repeated frames, forged ones, the workspace, and power cuts.
 */
#include "link_peer.h"

#include "selo_mlkem.h"

#if SELO_LINK_HYBRID == 512
enum { RANKS = 2, STEPS = 33 };
#define KEM(name) selo_mlkem512_##name
#else
enum { RANKS = 3, STEPS = 47 };
#define KEM(name) selo_mlkem768_##name
#endif
enum { T = 384 * RANKS, U = 320 * RANKS, V = 128 };

static struct world world;
static struct selo_hal hal;
static struct selo_node node;
static struct selo_node_workspace workspace;

/* ---- The gateway's part before PAIR-COMMIT, from docs/protocol.md -------------------------------- */

static struct opening {
    struct KEM(public_key) ek;
    struct KEM(private_key) dk;
    struct KEM(ciphertext) c;
    uint8_t h[32], next, answer[58], answer_size, mark[4];
} opening;

static size_t pieces_of(size_t bytes)
{
    return (bytes + 51) / 52;
}

/* Where piece `step` lies: its size, and its address in the key or the ciphertext. */
static uint8_t place(unsigned step, uint8_t **at, int *of_node)
{
    const size_t first_t = 2 + pieces_of(U), first_v = first_t + pieces_of(T);
    size_t offset, end;

    *of_node = 0;
    if (step == 1) {
        *at = opening.ek.bytes + T;
        return 32;
    }
    if (step < first_t) {
        *of_node = 1;
        offset = 52 * (step - 2), end = U, *at = opening.c.bytes + offset;
    } else if (step < first_v) {
        offset = 52 * (step - first_t), end = T, *at = opening.ek.bytes + offset;
    } else {
        *of_node = 1;
        offset = 52 * (step - first_v), end = V, *at = opening.c.bytes + U + offset;
    }
    return (uint8_t)(end - offset < 52 ? end - offset : 52);
}

static void chain(const uint8_t *frame, uint8_t size)
{
    selo_suite_digest(opening.h, opening.h, frame, size);
}

/* Answers the node's last frame in opening.answer. */
static void answer(void)
{
    const uint8_t *frame = world_last(&world);
    const uint8_t size = world_last_size(&world);
    uint8_t *at = NULL, piece = 32;
    int of_node = 0;

    if (frame[0] == 0xe0) {
        CHECK(size == 11 && selo_link_get(frame + 5, 4) == selo_node_id(&node));
        CHECK(frame[9] == SELO_LINK_SUITE && frame[10] == RANKS - 1);
        memset(opening.h, 0, 32);
        memcpy(opening.mark, frame + 1, 4);
        chain(frame, size);
        opening.next = 0;
        struct selo_sha3 hash;
        selo_sha3_256_start(&hash);
        selo_sha3_update(&hash, opening.ek.bytes, sizeof opening.ek);
        selo_sha3_finish(&hash, opening.answer + 6);
    } else {
        CHECK(frame[0] == 0xe1 && memcmp(frame + 1, opening.mark, 4) == 0);
        CHECK(frame[5] == opening.next);
        piece = place(frame[5], &at, &of_node);
        CHECK(size == (of_node ? 6 + piece : 6));
        if (of_node) {
            memcpy(at, frame + 6, piece);
            chain(frame, size);
            piece = 0;
        } else {
            memcpy(opening.answer + 6, at, piece);
        }
    }
    opening.answer[0] = 0xe2;
    memcpy(opening.answer + 1, frame + 1, 4);
    opening.answer[5] = opening.next;
    opening.answer_size = (uint8_t)(6 + piece);
    if (opening.next++ == 0) {
        chain(opening.answer, opening.answer_size);
    }
}

static unsigned give(const uint8_t *frame, uint8_t size)
{
    world_give(&world, frame, size);
    return world_poll(&node);
}

static void begin(void)
{
    uint8_t seed[64];

    link_begin(&world, &hal, &node);
    check_random_bytes(seed, 64);
    KEM(keygen)(&opening.ek, &opening.dk, seed);
    memset(&workspace, 0xa5, sizeof workspace);
    selo_node_lend(&node, &workspace);
    CHECK(!selo_node_needs_workspace(&node));
    CHECK(selo_node_pair(&node) == SELO_OK && selo_node_needs_workspace(&node));
}

/* Exchanges the steps before `end`. */
static void exchange(unsigned end)
{
    for (unsigned step = opening.next; step < end; step++) {
        answer();
        CHECK(give(opening.answer, opening.answer_size) == 0);
    }
}

/* From the end of the steps to the digits. */
static void compare(struct gateway *gateway)
{
    uint8_t commit[58];

    CHECK(world_last(&world)[0] == 0xe1);
    CHECK(world_poll(&node) == 0); /* the second part begins in a poll of its own */
    CHECK(!selo_node_needs_workspace(&node) && check_is_zero(&workspace, sizeof workspace.of.encapsulation));
    CHECK(world_last_size(&world) == 58 && world_last(&world)[0] == 0x10 + RANKS - 1);
    memcpy(commit, world_last(&world), 58);
    memcpy(gateway->h, opening.h, 32);
    KEM(decapsulate)(gateway->secret + 32, &opening.dk, &opening.c);
    gateway_start(gateway, selo_node_id(&node));
    CHECK(give(gateway->key_frame, 37) == EVENT(DIGITS));
    CHECK(gateway_derive(gateway, commit, world_last(&world)));
    CHECK(selo_node_digits(&node) == gateway->digits);
}

static void confirm(const struct gateway *gateway)
{
    uint8_t result[21];

    CHECK(selo_node_confirm(&node, 1) == SELO_OK);
    gateway_result(gateway, selo_node_id(&node), 0, result);
    CHECK(give(result, 21) == EVENT(PAIRED));
    CHECK_BYTES(world.record + 8, gateway->device_key, 32);
    CHECK(check_is_zero(&node.handshake, sizeof node.handshake));
}

static void pairs_and_joins(void)
{
    struct gateway gateway;
    struct peer peer;
    uint8_t accept[58];

    opening.next = 0;
    begin();
    exchange(STEPS);
    CHECK(world.sends == STEPS);
    CHECK(selo_node_send(&node, "a", 1, 0) == SELO_ERROR_STATE);
    compare(&gateway);
    confirm(&gateway);
    CHECK(selo_node_join(&node) == SELO_OK);
    CHECK(peer_accept(&peer, accept, world_last(&world), gateway.device_key, 1, 0));
    CHECK(give(accept, 58) == EVENT(JOINED));
}

/* Each frame in turn is lost, on either way, and comes twice. */
static void losses(void)
{
    for (unsigned lost = 0; lost < STEPS; lost++) {
        struct gateway gateway;
        uint8_t sent[58], size;
        unsigned sends;

        opening.next = 0;
        begin();
        exchange(lost);
        memcpy(sent, world_last(&world), 58);
        size = world_last_size(&world);
        sends = world.sends;
        CHECK(world_wait(&world, &node, lost == 0 ? 3999 : 1999) == 0 && world.sends == sends);
        CHECK(world_wait(&world, &node, 1) == 0 && world.sends == sends + 1);
        CHECK(world_last_size(&world) == size);
        CHECK_BYTES(world_last(&world), sent, size);
        answer();
        CHECK(give(opening.answer, opening.answer_size) == 0);
        sends = world.sends;
        if (lost != STEPS - 1) { /* the answer again: it is not the next one */
            CHECK(give(opening.answer, opening.answer_size) == 0 && world.sends == sends);
        }
        exchange(STEPS);
        compare(&gateway);
        confirm(&gateway);
    }
}

/* A bit of each answer is wrong, or its size. Header and size: the node drops it. Key, rho and hash: the
 * attempt ends before v leaves. */
static void forgeries(void)
{
    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned at = 0; at < 58; at += step % 8 == 0 ? 1 : 13) {
            uint8_t frame[58];
            unsigned events, sends;

            opening.next = 0;
            begin();
            exchange(step);
            answer();
            memcpy(frame, opening.answer, 58);
            sends = world.sends;
            if (opening.answer_size < 58) {
                CHECK(give(frame, (uint8_t)(opening.answer_size + 1)) == 0 && world.sends == sends);
            }
            CHECK(give(frame, (uint8_t)(opening.answer_size - 1)) == 0 && world.sends == sends);
            if (at >= opening.answer_size) {
                continue;
            }
            frame[at] ^= 1;
            events = give(frame, opening.answer_size);
            if (at < 6) { /* the true answer still counts */
                CHECK(events == 0 && world.sends == sends);
                CHECK(give(opening.answer, opening.answer_size) == 0);
                CHECK(world.sends == sends + (step != STEPS - 1));
                continue;
            }
            for (unsigned next = step + 1; events == 0 && next < STEPS; next++) {
                answer();
                if (world_last(&world)[5] >= STEPS - 3) {
                    CHECK(0); /* v has left */
                    break;
                }
                events = give(opening.answer, opening.answer_size);
            }
            CHECK(events == EVENT(PAIR_FAILED) && !selo_node_needs_workspace(&node));
            CHECK(check_is_zero(&workspace, sizeof workspace.of.encapsulation));
            CHECK(check_is_zero(&node.opening, sizeof node.opening));
        }
    }
}

/* Pieces of two attempts, or exchanged ones, do not make a key. */
static void swapped(void)
{
    uint8_t *at, first[58];
    int of_node;
    const unsigned t = 2 + (unsigned)pieces_of(U);

    opening.next = 0;
    begin();
    exchange(t);
    answer();
    place(t + 1, &at, &of_node);
    memcpy(first, opening.answer, 58);
    memcpy(first + 6, at, 52); /* the second piece in place of the first */
    unsigned events = give(first, opening.answer_size); /* it may have a coefficient out of range */
    while (events == 0 && opening.next < STEPS - 3) {
        answer();
        events = give(opening.answer, opening.answer_size);
    }
    CHECK(events == EVENT(PAIR_FAILED));
    /* A coefficient out of range is found at once. */
    opening.next = 0;
    begin();
    exchange(t);
    answer();
    memset(opening.answer + 6, 0xff, 52);
    CHECK(give(opening.answer, opening.answer_size) == EVENT(PAIR_FAILED));
}

/* The workspace comes late, goes early, or changes. */
static void lending(void)
{
    static struct selo_node_workspace second;
    struct gateway gateway;
    unsigned sends;

    opening.next = 0;
    begin();
    selo_node_lend(&node, NULL);
    answer();
    sends = world.sends;
    CHECK(give(opening.answer, opening.answer_size) == 0 && world.sends == sends);
    selo_node_lend(&node, &workspace);
    CHECK(give(opening.answer, opening.answer_size) == 0 && world.sends == sends + 1);
    exchange(STEPS);
    selo_node_lend(&node, NULL);
    compare(&gateway);
    confirm(&gateway);

    for (unsigned step = 1; step < STEPS; step += 7) {
        opening.next = 0;
        begin();
        exchange(step);
        selo_node_lend(&node, step % 2 ? NULL : &second);
        CHECK(world_poll(&node) == EVENT(PAIR_FAILED));
        CHECK(check_is_zero(&workspace, sizeof workspace.of.encapsulation));
    }
}

/* The attempt ends by the clock, by the operator, by another attempt; a session ends and comes back. */
static void endings(void)
{
    struct peer peer;
    unsigned sends;

    opening.next = 0;
    begin();
    exchange(9);
    CHECK(world_wait(&world, &node, 2000ul * 150) == EVENT(PAIR_FAILED));
    CHECK(check_is_zero(&workspace, sizeof workspace.of.encapsulation));

    opening.next = 0;
    begin();
    exchange(9);
    CHECK(selo_node_confirm(&node, 1) == SELO_ERROR_STATE);
    CHECK(selo_node_confirm(&node, 0) == SELO_OK && world_poll(&node) == EVENT(PAIR_FAILED));

    opening.next = 0;
    begin();
    exchange(9);
    CHECK(selo_node_pair(&node) == SELO_OK);
    exchange(0);
    opening.next = 0;
    exchange(STEPS);
    CHECK(!selo_node_needs_workspace(&node));

    link_join(&world, &hal, &node, &peer, 7, 0);
    selo_node_lend(&node, &workspace);
    CHECK(selo_node_send(&node, "confirmed", 9, SELO_NODE_CONFIRMED) == SELO_OK);
    sends = world.sends;
    CHECK(selo_node_pair(&node) == SELO_OK);
    CHECK(!selo_node_is_joined(&node) && world_poll(&node) == EVENT(UNDELIVERED));
    opening.next = 0;
    exchange(9);
    CHECK(selo_node_join(&node) == SELO_ERROR_STATE);
    CHECK(world_wait(&world, &node, 1900) == 0); /* nothing of the session is repeated */
    CHECK(world.sends == sends + 1 + 9);
    CHECK(selo_node_confirm(&node, 0) == SELO_OK);
    CHECK(world_poll(&node) == EVENT(PAIR_FAILED));
    CHECK(world_last(&world)[0] == SELO_FRAME_JOIN_REQUEST && world_last_size(&world) == 58);
    link_answer(&world, &node, &peer, 8, 0); /* with the old key */
}

static void live_until_cut(void)
{
    if (setjmp(world.cut) == 0) {
        CHECK(selo_node_pair(&node) == SELO_OK);
        exchange(STEPS);
        CHECK(world_poll(&node) == 0);
        CHECK(0);
    }
    world.steps_left = -1;
}

/* A power cut before or after each frame leaves the old key, and the next attempt is another one. */
static void power_cuts(void)
{
    for (unsigned cut = 0; cut <= STEPS; cut++) {
        link_provision(&world, &hal, &node);
        selo_node_lend(&node, &workspace);
        world.steps_left = (int)cut;
        world.cut_after = cut & 1;
        memset(&opening.mark, 0, 4);
        opening.next = 0;
        live_until_cut();
        CHECK(selo_node_begin(&node, &hal) == SELO_OK && selo_node_is_paired(&node));
        CHECK_BYTES(node.key, link_key, 32);
        CHECK(!selo_node_needs_workspace(&node));
        CHECK(selo_node_pair(&node) == SELO_OK);
        CHECK(memcmp(opening.mark, world_last(&world) + 1, 4) != 0);
    }
}

int main(void)
{
    pairs_and_joins();
    losses();
    forgeries();
    swapped();
    lending();
    endings();
    power_cuts();
    return check_report("hybrid_pair");
}
