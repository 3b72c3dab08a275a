/*
 * The surroundings of a node under test: a scripted device (struct world) and a gateway. The test
 * controls every bit of both. The gateway uses the suite's functions, which test_link_vectors.c
 * checks.
 *
 * The build wraps the scalar multiplications, so that a test can count those of the node
 * (link_multiplications). The gateway's do not count.
 */
#ifndef LINK_PEER_H
#define LINK_PEER_H

#include <setjmp.h>
#include <string.h>

#include "check.h"

#include "selo.h"
#include "selo/link/frame.h"
#include "selo/link/limits.h"
#include "selo/link/node_state.h"
#include "selo/link/session.h"
#include "selo/noise/suite.h"

/* ---- Counted scalar multiplications -------------------------------------------------
 *
 * A test that makes thousands of keys and checks only whether they are new sets link_fake. A cheap
 * function with the same algebra then replaces the multiplications.
 */

static unsigned link_multiplications;
static int link_fake;

void __real_selo_x25519_keygen(uint8_t public_key[32], const uint8_t secret[32]);
void __wrap_selo_x25519_keygen(uint8_t public_key[32], const uint8_t secret[32]);
enum selo_status __real_selo_x25519_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                                  const uint8_t peer[32]);
enum selo_status __wrap_selo_x25519_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                                  const uint8_t peer[32]);

static void peer_keygen(uint8_t public_key[32], const uint8_t secret[32])
{
    if (link_fake) {
        for (int i = 0; i < 32; i++) {
            public_key[i] = secret[i] ^ 0x5a;
        }
    } else {
        __real_selo_x25519_keygen(public_key, secret);
    }
}

static enum selo_status peer_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                           const uint8_t peer[32])
{
    if (link_fake) {
        for (int i = 0; i < 32; i++) {
            shared[i] = secret[i] ^ peer[i];
        }
        return SELO_OK;
    }
    return __real_selo_x25519_shared_secret(shared, secret, peer);
}

void __wrap_selo_x25519_keygen(uint8_t public_key[32], const uint8_t secret[32])
{
    link_multiplications++;
    peer_keygen(public_key, secret);
}

enum selo_status __wrap_selo_x25519_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                                  const uint8_t peer[32])
{
    link_multiplications++;
    return peer_shared_secret(shared, secret, peer);
}

/* ---- The device ------------------------------------------------------------------------ */

enum { WORLD_SENT = 64 };

struct world {
    uint32_t now;
    uint8_t in[58], in_size; /* the next frame that the node receives */
    uint8_t sent[WORLD_SENT][58], sent_size[WORLD_SENT];
    unsigned sends; /* number of frames sent; the last WORLD_SENT are kept */
    uint8_t record[SELO_LINK_RECORD_BYTES];
    int has_record, send_fails, store_fails, load_fails, entropy_fails;
    unsigned stores;
    uint8_t entropy; /* value of each of its bytes */
    int steps_left;  /* sends and stores until the power is cut; negative: the power is never cut */
    int cut_after;   /* 1 if the last one before the cut still completes */
    jmp_buf cut;
};

static int world_step(struct world *world)
{
    return world->steps_left < 0 || world->steps_left-- != 0;
}

static enum selo_status world_send(void *context, const uint8_t *frame, uint8_t size)
{
    struct world *world = context;
    int goes_on = world_step(world);

    CHECK(size >= 1 && size <= 58);
    if (goes_on || world->cut_after) {
        if (world->send_fails) {
            return SELO_ERROR_SEND;
        }
        memcpy(world->sent[world->sends % WORLD_SENT], frame, size);
        world->sent_size[world->sends % WORLD_SENT] = size;
        world->sends++;
    }
    if (!goes_on) {
        longjmp(world->cut, 1);
    }
    return SELO_OK;
}

static uint8_t world_receive(void *context, uint8_t frame[58])
{
    struct world *world = context;
    uint8_t size = world->in_size;

    memcpy(frame, world->in, size);
    world->in_size = 0;
    return size;
}

static uint32_t world_milliseconds(void *context)
{
    return ((struct world *)context)->now;
}

static enum selo_status world_entropy(void *context, uint8_t *out, size_t size)
{
    struct world *world = context;

    memset(out, world->entropy, size);
    return world->entropy_fails ? SELO_ERROR_RANDOM : SELO_OK;
}

static enum selo_status world_load(void *context, uint8_t record[SELO_LINK_RECORD_BYTES])
{
    struct world *world = context;

    memcpy(record, world->record, SELO_LINK_RECORD_BYTES);
    if (world->load_fails) {
        return SELO_ERROR_ARGUMENT;
    }
    return world->has_record ? SELO_OK : SELO_ERROR_STORE;
}

static enum selo_status world_store(void *context, const uint8_t record[SELO_LINK_RECORD_BYTES])
{
    struct world *world = context;
    int goes_on = world_step(world);

    if (goes_on || world->cut_after) {
        if (world->store_fails) {
            return SELO_ERROR_STORE;
        }
        memcpy(world->record, record, SELO_LINK_RECORD_BYTES);
        world->has_record = 1;
        world->stores++;
    }
    if (!goes_on) {
        longjmp(world->cut, 1);
    }
    return SELO_OK;
}

static void world_start(struct world *world, struct selo_hal *hal)
{
    memset(world, 0, sizeof *world);
    world->entropy = 0x77;
    world->steps_left = -1;
    *hal = (struct selo_hal){world,         world_send,    world_receive, world_milliseconds,
                             world_entropy, world_load,    world_store};
}

/* The last frame sent. */
static const uint8_t *world_last(const struct world *world)
{
    return world->sent[(world->sends + WORLD_SENT - 1) % WORLD_SENT];
}

static uint8_t world_last_size(const struct world *world)
{
    return world->sent_size[(world->sends + WORLD_SENT - 1) % WORLD_SENT];
}

static void world_give(struct world *world, const uint8_t *frame, uint8_t size)
{
    memcpy(world->in, frame, size);
    world->in_size = size;
}

/* Polls until there is no event. Returns the events as a set of bits 1 << event. */
static unsigned world_poll(struct selo_node *node)
{
    unsigned events = 0;
    enum selo_node_event event;

    while ((event = selo_node_poll(node)) != SELO_NODE_NOTHING) {
        CHECK(!(events >> event & 1)); /* no event comes twice: nothing here lasts long enough */
        events |= 1u << event;
    }
    return events;
}

/* Advances the time by this many milliseconds. Polls at every moment that matters. */
static unsigned world_wait(struct world *world, struct selo_node *node, uint32_t time)
{
    unsigned events = 0;

    while (time != 0) {
        uint32_t step = time < 100 ? time : 100;
        world->now += step;
        time -= step;
        events |= world_poll(node);
    }
    return events;
}

#define EVENT(name) (1u << SELO_NODE_##name)

/* ---- The gateway --------------------------------------------------------------------- */

struct peer {
    uint8_t up_key[32], down_key[32];
    uint32_t id;     /* of the session */
    uint8_t options; /* of the join */
    uint32_t counter; /* of the join */
};

/* Reads a JOIN-REQUEST, without a scalar multiplication. Returns 0 if its tag is wrong. */
static int peer_read(struct peer *peer, const uint8_t request[58], const uint8_t device_key[32],
                     uint8_t h[32], uint8_t ck[32])
{
    struct selo_suite_hash hash;
    static const char name[] = SELO_SUITE_NAME;
    uint8_t key[32], hashed[32], payload[21];

    memset(h, 0, 32);
    if (sizeof name - 1 > 32) {
        selo_suite_start(&hash);
        selo_suite_update(&hash, name, sizeof name - 1);
        selo_suite_finish(&hash, h);
    } else {
        memcpy(h, name, sizeof name - 1);
    }
    memcpy(ck, h, 32);
    selo_suite_start(&hash);
    selo_suite_update(&hash, h, 32);
    selo_suite_update(&hash, "Selo link 1", 11);
    selo_suite_update(&hash, request, 5);
    selo_suite_finish(&hash, h);
    selo_suite_hkdf(ck, device_key, 32, hashed, key);
    selo_suite_digest(h, h, hashed, 32);
    selo_suite_digest(h, h, request + 5, 32);
    selo_suite_hkdf(ck, request + 5, 32, key, 0);
    memcpy(payload, request + 37, 21);
    if (selo_suite_open(key, 0, h, 32, payload, 5, 16) != SELO_OK) {
        return 0;
    }
    peer->counter = selo_link_get(payload, 4);
    peer->options = payload[4];
    selo_suite_digest(h, h, request + 37, 21);
    return 1;
}

/* Answers a JOIN-REQUEST. Returns 0 if its tag is wrong. */
static int peer_accept(struct peer *peer, uint8_t accept[58], const uint8_t request[58],
                       const uint8_t device_key[32], uint32_t session_id, uint8_t options)
{
    uint8_t h[32], ck[32], key[32], secret[32], shared[32];

    if (!peer_read(peer, request, device_key, h, ck)) {
        return 0;
    }
    accept[0] = SELO_FRAME_JOIN_ACCEPT;
    check_random_bytes(secret, 32);
    peer_keygen(accept + 5, secret);
    selo_suite_digest(h, h, accept + 5, 32);
    memcpy(accept + 1, h, 4);
    selo_suite_hkdf(ck, accept + 5, 32, 0, 0);
    CHECK(peer_shared_secret(shared, secret, request + 5) == SELO_OK);
    selo_suite_hkdf(ck, shared, 32, key, 0);
    selo_link_put(accept + 37, session_id, 4);
    accept[41] = options;
    selo_suite_seal(key, 0, h, 32, accept + 37, 5, 16);
    selo_suite_hkdf(ck, 0, 0, peer->down_key, 0);
    memcpy(peer->up_key, ck, 32);
    peer->id = session_id;
    return 1;
}

static uint8_t peer_header(uint8_t *frame, uint8_t first, uint32_t id, uint32_t n)
{
    uint8_t id_size = id > 0xffff ? 4 : 2;
    frame[0] = (uint8_t)(first | (id_size == 4));
    selo_link_put(frame + 1, id, id_size);
    selo_link_put(frame + 1 + id_size, n, 2);
    return (uint8_t)(3 + id_size);
}

/* A DOWN with counter n; flags as in the frame, LONG-TAG among them. Returns its size. */
static uint8_t peer_down(const struct peer *peer, uint8_t frame[58], uint8_t flags, uint32_t n,
                         const void *plaintext, uint8_t size)
{
    uint8_t at = peer_header(frame, (uint8_t)(SELO_FRAME_DOWN | flags), peer->id, n);
    uint8_t tag_size = flags & SELO_FRAME_LONG_TAG ? 16 : 8;

    if (size != 0) {
        memcpy(frame + at, plaintext, size);
    }
    selo_suite_seal(peer->down_key, n, frame, at, frame + at, size, tag_size);
    return (uint8_t)(at + size + tag_size);
}

/* Opens an UP with counter n. Returns the size of its plaintext, or -1 if it does not open. */
static int peer_open(const struct peer *peer, const uint8_t *frame, uint8_t size, uint32_t n,
                     uint8_t plaintext[58])
{
    uint8_t header[7];
    uint8_t at = peer_header(header, 0, peer->id, n);
    uint8_t tag_size = frame[0] & SELO_FRAME_LONG_TAG ? 16 : 8;

    if (size < at + tag_size || memcmp(header + 1, frame + 1, at - 1u) != 0
        || (frame[0] & 0xf1) != (SELO_FRAME_UP | header[0])) {
        return -1;
    }
    memcpy(plaintext, frame + at, (size_t)(size - at));
    if (selo_suite_open(peer->up_key, n, frame, at, plaintext, (uint8_t)(size - at - tag_size),
                        tag_size) != SELO_OK) {
        return -1;
    }
    return size - at - tag_size;
}

/* ---- A gateway's side of a pairing ----------------------------------------------------- */

struct gateway {
    uint8_t secret[64]; /* of X25519; then of ML-KEM, in a hybrid pairing */
    uint8_t h[32];      /* of a hybrid pairing */
    uint8_t key_frame[37];
    uint8_t device_key[32], result_key[32];
    uint32_t digits;
};

static void gateway_start(struct gateway *gateway, uint32_t id)
{
    check_random_bytes(gateway->secret, 32);
    gateway->key_frame[0] = SELO_FRAME_PAIR_KEY;
    selo_link_put(gateway->key_frame + 1, id, 4);
    peer_keygen(gateway->key_frame + 5, gateway->secret);
}

/* Checks that the reveal opens the commitment, and computes both keys and the digits. */
static int gateway_derive(struct gateway *gateway,
                          const uint8_t commit[SELO_FRAME_PAIR_COMMIT_SIZE],
                          const uint8_t reveal[53])
{
    struct selo_suite_hash hash;
    uint8_t bytes[64], digest[32];

    selo_suite_start(&hash);
    selo_suite_update(&hash, "Selo pair 1", 11);
    selo_suite_update(&hash, commit, 6);
    selo_suite_update(&hash, reveal + 5, 48);
    if (SELO_LINK_HYBRID) {
        selo_suite_update(&hash, gateway->h, 32);
    }
    selo_suite_finish(&hash, bytes);
    if (SELO_LINK_HYBRID && memcmp(commit + 38, gateway->h, 20) != 0) {
        return 0;
    }
    if (commit[0] != (0x10 | SELO_FRAME_KEM) || reveal[0] != 0x30 || commit[5] != SELO_LINK_SUITE
        || memcmp(commit + 1, reveal + 1, 4) != 0 || memcmp(bytes, commit + 6, 32) != 0) {
        return 0;
    }
    selo_suite_start(&hash);
    selo_suite_update(&hash, commit, SELO_FRAME_PAIR_COMMIT_SIZE);
    selo_suite_update(&hash, gateway->key_frame, 37);
    selo_suite_update(&hash, reveal, 53);
    selo_suite_finish(&hash, gateway->device_key);
    CHECK(peer_shared_secret(bytes, gateway->secret, reveal + 5) == SELO_OK);
    memcpy(bytes + 32, gateway->secret + 32, 32);
    selo_suite_hkdf(gateway->device_key, bytes, SELO_LINK_HYBRID ? 64 : 32, gateway->result_key,
                    digest);
    gateway->digits = (digest[0] | (uint32_t)digest[1] << 8 | (uint32_t)digest[2] << 16
                       | (uint32_t)digest[3] << 24)
                      % 1000000;
    return 1;
}

static void gateway_result(const struct gateway *gateway, uint32_t id, uint8_t x,
                           uint8_t frame[21])
{
    frame[0] = (uint8_t)(0x40 | x);
    selo_link_put(frame + 1, id, 4);
    selo_suite_seal(gateway->result_key, x, frame, 5, frame + 5, 0, 16);
}

/* ---- Common beginnings ------------------------------------------------------------------- */

static const uint8_t link_key[33] = "the device key of the node tests";
enum { LINK_ID = 0x1a2b3c4d };

static void link_begin(struct world *world, struct selo_hal *hal, struct selo_node *node)
{
    world_start(world, hal);
    CHECK(selo_node_begin(node, hal) == SELO_OK);
}

/* A node with the key above. */
static void link_provision(struct world *world, struct selo_hal *hal, struct selo_node *node)
{
    link_begin(world, hal, node);
    CHECK(selo_node_provision(node, LINK_ID, link_key) == SELO_OK);
}

/* Answers the node's last frame, a JOIN-REQUEST. */
static void link_answer(struct world *world, struct selo_node *node, struct peer *peer,
                        uint32_t session_id, uint8_t options)
{
    uint8_t accept[58];

    CHECK(world_last_size(world) == 58 && world_last(world)[0] == SELO_FRAME_JOIN_REQUEST);
    CHECK(peer_accept(peer, accept, world_last(world), link_key, session_id, options));
    world_give(world, accept, 58);
    CHECK(world_poll(node) & EVENT(JOINED));
    CHECK(selo_node_is_joined(node));
}

/* A node in a session. */
static void link_join(struct world *world, struct selo_hal *hal, struct selo_node *node,
                      struct peer *peer, uint32_t session_id, uint8_t options)
{
    link_provision(world, hal, node);
    CHECK(selo_node_join(node) == SELO_OK);
    link_answer(world, node, peer, session_id, options);
}

#endif
