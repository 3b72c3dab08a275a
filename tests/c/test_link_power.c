/*
 * Power cuts: at every send and every store of a life, before and after it completes, and many at
 * random. The entropy is the same at each start, which is the worst case. Over all lives no join
 * counter and no key is used twice, every counter sent is reserved in the record, and nothing is sent
 * in a life before its record is stored.
 */
#include "link_peer.h"

static struct world world;
static struct selo_hal hal;
static struct selo_node node;

/* ---- Frames and records seen outside -------------------------------------------------------- */

enum { SEEN_MAX = 60000 };
static struct {
    uint8_t key[32]; /* an ephemeral public key, and the kind of frame that contained it */
    uint8_t type;
    unsigned life;
} seen[SEEN_MAX];
static unsigned seen_count, life, stores_before;
static uint32_t highest_counter;

/* A key must be new, or repeated by this life in the same kind of frame. Returns 1 if it is new. */
static int see_key(const uint8_t key[32], uint8_t type)
{
    for (unsigned i = 0; i < seen_count; i++) {
        if (memcmp(seen[i].key, key, 32) == 0) {
            CHECK(seen[i].life == life && seen[i].type == type);
            return 0;
        }
    }
    if (seen_count == SEEN_MAX) {
        fprintf(stderr, "SEEN_MAX is too small\n");
        exit(2);
    }
    memcpy(seen[seen_count].key, key, 32);
    seen[seen_count].type = type;
    seen[seen_count++].life = life;
    return 1;
}

/* Checks the frame that the node sends, and passes it to the world. */
static enum selo_status watched_send(void *context, const uint8_t *frame, uint8_t size)
{
    CHECK(world.stores > stores_before);
    if (frame[0] == SELO_FRAME_JOIN_REQUEST) {
        struct peer peer;
        uint8_t h[32], ck[32];
        const uint32_t stored = selo_link_get(world.record + 72, 4);
        CHECK(peer_read(&peer, frame, node.key, h, ck));
        CHECK(peer.counter < stored);
        if (see_key(frame + 5, frame[0])) {
            CHECK(peer.counter > highest_counter);
            highest_counter = peer.counter;
        } else {
            CHECK(peer.counter == highest_counter);
        }
    } else if (frame[0] == SELO_FRAME_PAIR_REVEAL) {
        see_key(frame + 5, frame[0]);
    }
    return world_send(context, frame, size);
}

/* The seed that is stored must be new too. */
static enum selo_status watched_store(void *context, const uint8_t record[SELO_LINK_RECORD_BYTES])
{
    enum selo_status status;

    CHECK(!world.has_record
          || selo_link_get(record + 72, 4) >= selo_link_get(world.record + 72, 4));
    CHECK(!world.has_record || memcmp(record + 40, world.record + 40, 32) != 0);
    status = world_store(context, record);
    if (status == SELO_OK) {
        CHECK(see_key(record + 40, 0));
    }
    return status;
}

/* ---- A life ----------------------------------------------------------------------------------- */

static void pair(void)
{
    uint8_t commit[38], key_frame[37] = {SELO_FRAME_PAIR_KEY}, result[21] = {0x40};

    CHECK(selo_node_pair(&node) == SELO_OK);
    memcpy(commit, world_last(&world), 38);
    selo_link_put(key_frame + 1, selo_node_id(&node), 4);
    memset(key_frame + 5, 9, 32);
    world_give(&world, key_frame, 37);
    CHECK(world_poll(&node) == EVENT(DIGITS));
    CHECK(selo_node_confirm(&node, 1) == SELO_OK);
    memcpy(result + 1, key_frame + 1, 4);
    selo_suite_seal(node.handshake.pairing.commit + 6, 0, result, 5, result + 5, 0, 16);
    world_give(&world, result, 21);
    CHECK(world_poll(&node) == EVENT(PAIRED));
}

/* Pairs if needed, and joins this often, with answers and without. Ends early if the power is cut. */
static void live(int joins, int steps, int cut_after)
{
    life++;
    stores_before = world.stores;
    world.steps_left = steps;
    world.cut_after = cut_after;
    if (setjmp(world.cut) != 0) {
        return;
    }
    CHECK(selo_node_begin(&node, &hal) == SELO_OK);
    CHECK(selo_link_get(world.record + 72, 4) > highest_counter + SELO_LINK_JOIN_RESERVE);
    if (!selo_node_is_paired(&node)) {
        pair();
    }
    for (int join = 0; join < joins; join++) {
        struct peer peer;
        uint8_t accept[58];
        CHECK(selo_node_join(&node) == SELO_OK);
        if (join == 3) { /* without an answer: repetitions, then a new request */
            world_wait(&world, &node, 65000);
        }
        if (join != 5) {
            selo_node_end_handshake(&node);
            continue;
        }
        CHECK(peer_accept(&peer, accept, world_last(&world), node.key, (uint32_t)join, 0));
        world_give(&world, accept, 58);
        CHECK(world_poll(&node) & EVENT(JOINED));
        CHECK(selo_node_send(&node, "reading", 7, 0) == SELO_OK);
    }
}

int main(void)
{
    int steps;

    link_fake = 1;
    for (int cut_after = 0; cut_after < 2; cut_after++) {
        for (steps = 0;; steps++) {
            world_start(&world, &hal);
            hal.send = watched_send;
            hal.store = watched_store;
            seen_count = 0;
            highest_counter = 0;
            live(20, steps, cut_after);
            if (world.steps_left >= 0) {
                break; /* it lived to the end */
            }
            live(3, -1, 0);
        }
        CHECK(steps > 30);
    }
    for (int i = 0; i < 60; i++) { /* many lives of one device */
        live(20, (int)(check_random() % 40), (int)(check_random() % 2));
    }
    live(20, -1, 0);
    return check_report("link_power");
}
