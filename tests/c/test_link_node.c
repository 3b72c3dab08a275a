/*
 * The node's state machine [docs/protocol.md]. Other files test pairing (test_link_pair.c), power cuts
 * (test_link_power.c) and counters (test_link_counters.c).
 */
#include "link_peer.h"

#include "selo/link/random.h"

static struct world world;
static struct selo_hal hal;
static struct selo_node node;
static struct peer peer;

/* Returns the UP that the node sent last, opened as counter n. The test fails if it does not open. */
static int last_up(uint32_t n, uint8_t plaintext[58])
{
    int size = peer_open(&peer, world_last(&world), world_last_size(&world), n, plaintext);
    CHECK(size >= 0);
    return size;
}

static uint8_t last_flags(void)
{
    return world_last(&world)[0] & 0x0f;
}

/* Returns the node's wait before it repeats its last frame: 2 s, and 4 ms for each unit of the frame's
 * last byte. */
static uint32_t first_pause(void)
{
    return 2000 + 4u * world_last(&world)[world_last_size(&world) - 1];
}

/* Gives the node a DOWN and returns the events. */
static unsigned down(uint8_t flags, uint32_t n, const void *plaintext, uint8_t size)
{
    uint8_t frame[58];
    world_give(&world, frame, peer_down(&peer, frame, flags, n, plaintext, size));
    return world_poll(&node);
}

static void begins(void)
{
    uint8_t zeros[32] = {0}, frame[58];

    /* A first start: one record, with all that is needed, and nothing sent. */
    link_begin(&world, &hal, &node);
    CHECK(world.stores == 1 && world.sends == 0);
    CHECK(world.record[0] == 1 && world.record[1] == SELO_LINK_SUITE && world.record[2] == 0);
    CHECK(selo_link_get(world.record + 4, 4) == selo_node_id(&node));
    CHECK_BYTES(world.record + 8, zeros, 32);
    CHECK(!check_is_zero(world.record + 40, 32));
    CHECK(selo_link_get(world.record + 72, 4) == 1 + SELO_LINK_JOIN_RESERVE);
    CHECK(!selo_node_is_paired(&node) && !selo_node_is_joined(&node));
    CHECK(selo_node_join(&node) == SELO_ERROR_STATE);
    CHECK(selo_node_send(&node, "x", 1, 0) == SELO_ERROR_STATE);
    CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING);

    /* The next starts: the same id, a seed made of the one before, another 16 join counters;
     * the last two without entropy, which then counts as zeros. */
    for (uint32_t starts = 2; starts < 6; starts++) {
        uint32_t id = selo_node_id(&node);
        uint8_t state[32], seed[32], entropy[32];
        world.entropy_fails = starts >= 4;
        memset(entropy, world.entropy_fails ? 0 : world.entropy, 32);
        selo_random_seed(state, zeros, world.record + 40, selo_link_get(world.record + 72, 4),
                         entropy);
        selo_random_draw(state, seed);
        CHECK(selo_node_begin(&node, &hal) == SELO_OK);
        CHECK(selo_node_id(&node) == id && world.stores == starts);
        CHECK_BYTES(world.record + 40, seed, 32);
        CHECK_BYTES(node.random, state, 32);
        CHECK(selo_link_get(world.record + 72, 4) == 1 + starts * SELO_LINK_JOIN_RESERVE);
    }

    /* Without entropy the stored seed is enough, and only the stored seed. */
    world.entropy_fails = 1;
    CHECK(selo_node_begin(&node, &hal) == SELO_OK);
    world.has_record = 0;
    CHECK(selo_node_begin(&node, &hal) == SELO_ERROR_RANDOM);
    CHECK(check_is_zero(&node, sizeof node));
    world.entropy_fails = 0;

    /* A record that cannot be stored, and a record of another kind, which must survive. */
    world.store_fails = 1;
    CHECK(selo_node_begin(&node, &hal) == SELO_ERROR_STORE);
    world.store_fails = 0;
    CHECK(!world.has_record && world.sends == 0);
    CHECK(selo_node_begin(&node, &hal) == SELO_OK);
    for (int at = 0; at < 3; at++) {
        world.record[at] ^= 6;
        world.stores = 0;
        CHECK(selo_node_begin(&node, &hal) == SELO_ERROR_STORE);
        CHECK(world.stores == 0);
        world.record[at] ^= 6;
    }
    world.load_fails = 1;
    CHECK(selo_node_begin(&node, &hal) == SELO_ERROR_STORE && world.stores == 0);
    world.load_fails = 0;
    /* Join counters that are used up. */
    selo_link_put(world.record + 72, UINT32_MAX - SELO_LINK_JOIN_RESERVE + 1, 4);
    CHECK(selo_node_begin(&node, &hal) == SELO_ERROR_STORE && world.stores == 0);

    /* A node that has not begun does nothing at all. */
    CHECK(check_is_zero(&node, sizeof node));
    memset(frame, 0, sizeof frame);
    CHECK(selo_node_provision(&node, LINK_ID, link_key) == SELO_ERROR_STATE);
    CHECK(selo_node_pair(&node) == SELO_ERROR_STATE);
    CHECK(selo_node_confirm(&node, 1) == SELO_ERROR_STATE);
    CHECK(selo_node_confirm(&node, 0) == SELO_ERROR_STATE);
    CHECK(selo_node_join(&node) == SELO_ERROR_STATE);
    CHECK(selo_node_send(&node, frame, 1, 0) == SELO_ERROR_STATE);
    CHECK(selo_node_forget(&node) == SELO_ERROR_STATE);
    CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING);
    CHECK(selo_node_digits(&node) == 0);
}

static void provisions(void)
{
    uint32_t own;

    link_begin(&world, &hal, &node);
    own = selo_node_id(&node);
    world.store_fails = 1;
    CHECK(selo_node_provision(&node, LINK_ID, link_key) == SELO_ERROR_STORE);
    CHECK(!selo_node_is_paired(&node) && selo_node_id(&node) == own);
    world.store_fails = 0;
    CHECK(selo_node_provision(&node, LINK_ID, link_key) == SELO_OK);
    CHECK(selo_node_is_paired(&node) && selo_node_id(&node) == LINK_ID);
    CHECK_BYTES(world.record + 8, link_key, 32);
    CHECK(selo_node_begin(&node, &hal) == SELO_OK);
    CHECK(selo_node_is_paired(&node) && selo_node_id(&node) == LINK_ID);

    /* A new key ends any handshake of the old one, and the confirmed payload under way. */
    CHECK(selo_node_join(&node) == SELO_OK);
    link_answer(&world, &node, &peer, 5, 0);
    CHECK(selo_node_send(&node, "x", 1, SELO_NODE_CONFIRMED) == SELO_OK);
    CHECK(selo_node_join(&node) == SELO_OK);
    CHECK(selo_node_provision(&node, LINK_ID + 1, link_key) == SELO_OK);
    CHECK(!selo_node_is_joined(&node) && node.state == STATE_IDLE);
    CHECK(world_wait(&world, &node, 100000) == EVENT(UNDELIVERED));

    /* Forgetting removes the key here and in the record. No join counter is used twice. */
    CHECK(selo_node_provision(&node, LINK_ID, link_key) == SELO_OK);
    CHECK(selo_node_join(&node) == SELO_OK);
    link_answer(&world, &node, &peer, 5, 0);
    CHECK(down(0, 0, "secret", 6) == EVENT(RECEIVED));
    CHECK(selo_node_send(&node, "x", 1, SELO_NODE_CONFIRMED) == SELO_OK);
    CHECK(selo_node_forget(&node) == SELO_OK);
    CHECK(!selo_node_is_paired(&node) && !selo_node_is_joined(&node));
    CHECK(check_is_zero(node.key, 32) && check_is_zero(&node.session, sizeof node.session));
    CHECK(check_is_zero(&node.handshake, sizeof node.handshake));
    CHECK(check_is_zero(&node.confirmed, sizeof node.confirmed));
    CHECK(check_is_zero(node.frame, sizeof node.frame));
    CHECK(check_is_zero(world.record + 8, 32));
    CHECK(selo_link_get(world.record + 72, 4) > peer.counter);
    CHECK(world_wait(&world, &node, 100000) == 0);
    CHECK(selo_node_join(&node) == SELO_ERROR_STATE);
    CHECK(selo_node_begin(&node, &hal) == SELO_OK && !selo_node_is_paired(&node));
    /* If that cannot be stored, at least the key in this memory is wiped. */
    CHECK(selo_node_provision(&node, LINK_ID, link_key) == SELO_OK);
    world.store_fails = 1;
    CHECK(selo_node_forget(&node) == SELO_ERROR_STORE);
    CHECK(!selo_node_is_paired(&node) && check_is_zero(node.key, 32));
}

/* Requests are repeated after 2, 4 and 8 s; 16 s later comes a wait of half to all of 15 s,
 * doubled each time up to 16 minutes, then a new request with another key and counter. */
static void join_times(uint32_t from)
{
    uint8_t request[58];
    uint32_t counter = 0, longest = 15000, pause;
    unsigned spread = 0, pauses = 0;

    link_provision(&world, &hal, &node);
    world.now = from;
    CHECK(selo_node_join(&node) == SELO_OK);
    for (int attempt = 0; attempt < 12; attempt++) {
        uint32_t waited = 0;
        unsigned sends = world.sends, told = SELO_NODE_NOTHING;
        memcpy(request, world_last(&world), 58);
        CHECK(peer_accept(&peer, (uint8_t[58]){0}, request, link_key, 1, 0));
        CHECK(peer.counter == counter + 1 && peer.options == 0);
        counter = peer.counter;
        pause = first_pause();
        pauses |= pause < 2512 ? 1 : 2;
        for (int repeat = 0; repeat < 3; repeat++, pause *= 2) {
            CHECK(world_wait(&world, &node, pause - 1) == 0 && world.sends == sends);
            CHECK(world_wait(&world, &node, 1) == 0 && world.sends == ++sends);
            CHECK_BYTES(world_last(&world), request, 58);
            CHECK(selo_node_join(&node) == SELO_OK && world.sends == sends); /* on its way */
        }
        CHECK(world_wait(&world, &node, pause - 1) == 0 && node.state == STATE_JOINING);
        CHECK(world_wait(&world, &node, 1) == 0 && node.state == STATE_WAITING);
        CHECK(check_is_zero(&node.handshake, sizeof node.handshake));
        while (world.sends == sends && waited <= longest) {
            world.now++;
            waited++;
            told |= selo_node_poll(&node);
        }
        CHECK(world.sends == sends + 1 && told == SELO_NODE_NOTHING);
        CHECK(waited >= longest / 2 && waited <= longest);
        spread |= waited < longest / 4 * 3 ? 1 : 2;
        CHECK(memcmp(world_last(&world) + 5, request + 5, 32) != 0);
        longest = longest < 960000 ? longest * 2 : longest;
    }
    CHECK(longest == 960000);
    CHECK(spread == 3 && pauses == 3); /* not all waits in the same half */
    CHECK(world.stores == 2);

    /* A join that the caller requests during the wait starts at once, and with the shortest wait again. */
    world_wait(&world, &node, 15 * first_pause() + 400); /* in steps of 100 ms */
    CHECK(node.state == STATE_WAITING && node.failures == 6);
    CHECK(selo_node_join(&node) == SELO_OK);
    CHECK(node.state == STATE_JOINING && node.failures == 0);
    link_answer(&world, &node, &peer, 9, 0);
    CHECK(node.state == STATE_IDLE && world_wait(&world, &node, 5000000) == 0);
    /* A join that succeeds after failures also makes the next one start with the shortest wait. */
    CHECK(selo_node_join(&node) == SELO_OK);
    while (node.failures < 3) {
        CHECK(world_wait(&world, &node, 1000) == 0);
    }
    while (node.state != STATE_JOINING) {
        CHECK(world_wait(&world, &node, 100) == 0);
    }
    link_answer(&world, &node, &peer, 9, 0);
    CHECK(node.failures == 0);
}

/* Gives the node a COOKIE for this request and returns how many frames it sent. */
static unsigned cookie(const uint8_t request[58], uint8_t first, uint8_t size)
{
    const unsigned sends = world.sends;
    uint8_t frame[14] = {first, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

    memcpy(frame + 1, request + 54, 4);
    world_give(&world, frame, size);
    CHECK(world_poll(&node) == 0);
    return world.sends - sends;
}

/* A COOKIE that names the request is sent back once after each transmission, and the request is
 * repeated. No other frame is sent back, and the times do not change. */
static void cookies(void)
{
    uint8_t request[58], other[58];
    uint32_t pause;
    const uint8_t *echo;

    link_provision(&world, &hal, &node);
    memset(request, 0, sizeof request);
    CHECK(cookie(request, SELO_FRAME_COOKIE, 13) == 0); /* no join is under way */
    CHECK(selo_node_join(&node) == SELO_OK);
    memcpy(request, world_last(&world), 58);
    pause = first_pause();
    link_multiplications = 0;
    for (int at = 54; at < 58; at++) {
        memcpy(other, request, 58);
        other[at] ^= 1;
        CHECK(cookie(other, SELO_FRAME_COOKIE, 13) == 0);
    }
    CHECK(cookie(request, SELO_FRAME_COOKIE, 12) == 0);
    CHECK(cookie(request, SELO_FRAME_COOKIE, 14) == 0);
    CHECK(cookie(request, SELO_FRAME_COOKIE | 1, 13) == 0);
    CHECK(cookie(request, SELO_FRAME_COOKIE_ECHO, 13) == 0);

    for (int transmission = 0; transmission < 4; transmission++, pause *= 2) {
        const unsigned sends = world.sends;
        const uint32_t due = node.due;
        CHECK(cookie(request, SELO_FRAME_COOKIE, 13) == 2);
        echo = world.sent[(world.sends - 2) % WORLD_SENT];
        CHECK(world.sent_size[(world.sends - 2) % WORLD_SENT] == 13);
        CHECK(echo[0] == SELO_FRAME_COOKIE_ECHO && selo_link_get(echo + 1, 4) == LINK_ID);
        CHECK_BYTES(echo + 5, ((const uint8_t[8]){1, 2, 3, 4, 5, 6, 7, 8}), 8);
        CHECK(world_last_size(&world) == 58);
        CHECK_BYTES(world_last(&world), request, 58);
        CHECK(cookie(request, SELO_FRAME_COOKIE, 13) == 0);
        CHECK(node.due == due && node.sent == transmission + 1);
        CHECK(world.sends == sends + 2 && link_multiplications == 0);
        if (transmission < 3) {
            CHECK(world_wait(&world, &node, pause) == 0 && world.sends == sends + 3);
        }
    }
    /* The answer is still accepted. After it, a cookie has no effect. */
    link_answer(&world, &node, &peer, 5, 0);
    CHECK(cookie(request, SELO_FRAME_COOKIE, 13) == 0);

    /* A transport that accepts no frame has no other effect. */
    CHECK(selo_node_join(&node) == SELO_OK);
    memcpy(request, world_last(&world), 58);
    world.send_fails = 1;
    CHECK(cookie(request, SELO_FRAME_COOKIE, 13) == 0);
    world.send_fails = 0;
    link_answer(&world, &node, &peer, 6, 0);
}

/* The 17th join needs the record again; while it cannot be written nothing is sent. */
static void join_counters(void)
{
    unsigned sends;

    link_provision(&world, &hal, &node);
    for (uint32_t join = 1; join <= 40; join++) {
        unsigned stores = world.stores;
        if (join == 17) {
            world.store_fails = 1;
            sends = world.sends;
            CHECK(selo_node_join(&node) == SELO_ERROR_STORE);
            CHECK(world.sends == sends && node.state == STATE_IDLE);
            /* The same when the node joins by itself: it tries again, with growing waits. */
            node.flags |= FLAG_JOIN_WANTED;
            CHECK(world_wait(&world, &node, 200000) == 0 && world.sends == sends);
            CHECK(node.failures > 2);
            world.store_fails = 0;
            while (world.sends == sends) {
                CHECK(world_wait(&world, &node, 100) == 0);
            }
        } else {
            CHECK(selo_node_join(&node) == SELO_OK);
        }
        link_answer(&world, &node, &peer, 3, 0);
        CHECK(world.stores == stores + (join % 16 == 1 && join > 1));
        CHECK(peer.counter == join && join < selo_link_get(world.record + 72, 4));
    }
}

/* Frames that are not the answer change nothing and cost no scalar multiplication. All altered answers
 * together cost one, and the true answer is still accepted. */
static void forged_accepts(void)
{
    uint8_t accept[58], request[58];
    struct selo_node before;
    struct peer other;

    link_provision(&world, &hal, &node);
    CHECK(selo_node_join(&node) == SELO_OK);
    memcpy(request, world_last(&world), 58);
    link_multiplications = 0;
    for (int i = 0; i < 300; i++) {
        check_random_bytes(accept, 58);
        accept[0] = SELO_FRAME_JOIN_ACCEPT;
        before = node;
        world_give(&world, accept, 58);
        CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING);
        memcpy(before.frame, node.frame, 58);
        CHECK_BYTES(&node, &before, sizeof node);
    }
    CHECK(peer_accept(&peer, accept, request, link_key, 8, 0));
    for (uint8_t size = 1; size < 58; size++) { /* every other size */
        world_give(&world, accept, size);
        CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING);
    }
    /* The answer to another node's request, and an answer under another device key. */
    request[5] ^= 1;
    CHECK(!peer_accept(&other, (uint8_t[58]){0}, request, link_key, 8, 0));
    request[5] ^= 1;
    CHECK(link_multiplications == 0);

    for (size_t at = 37; at < 58; at++) {
        accept[at] ^= 0x40;
        world_give(&world, accept, 58);
        CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING && node.state == STATE_JOINING);
        accept[at] ^= 0x40;
        CHECK(link_multiplications == 1);
    }
    for (size_t at = 1; at < 5; at++) { /* the check must be right then, too */
        accept[at] ^= 0x40;
        world_give(&world, accept, 58);
        CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING && node.state == STATE_JOINING);
        accept[at] ^= 0x40;
    }
    world_wait(&world, &node, 7 * first_pause() + 300); /* it keeps repeating the request */
    CHECK(world.sends == 4);
    CHECK_BYTES(world_last(&world), request, 58);
    world_give(&world, accept, 58);
    CHECK(world_poll(&node) == EVENT(JOINED) && link_multiplications == 1);
    CHECK(check_is_zero(&node.handshake, sizeof node.handshake));
    /* The same answer again has no effect, because the node does not wait for it. */
    world_give(&world, accept, 58);
    CHECK(world_poll(&node) == 0 && link_multiplications == 1);

    /* An answer with an unknown option is dropped. Longer tags than requested are accepted. */
    link_fake = 1;
    for (unsigned options = 0; options < 256; options++) {
        CHECK(selo_node_join(&node) == SELO_OK);
        CHECK(peer_accept(&peer, accept, world_last(&world), link_key, 8, (uint8_t)options));
        world_give(&world, accept, 58);
        CHECK(world_poll(&node) == (options < 2 ? EVENT(JOINED) : 0));
        if (options >= 2) {
            CHECK(node.state == STATE_JOINING);
            selo_node_end_handshake(&node);
        }
    }
    link_fake = 0;
}

/* A JOIN-ACCEPT whose e is of low order, with a check that is right: the attempt ends. */
static void zero_secret(void)
{
    uint8_t accept[58] = {0}, h[32];

    link_provision(&world, &hal, &node);
    CHECK(selo_node_join(&node) == SELO_OK);
    selo_suite_digest(h, node.handshake.join.noise.h, accept + 5, 32);
    accept[0] = SELO_FRAME_JOIN_ACCEPT;
    memcpy(accept + 1, h, 4);
    world_give(&world, accept, 58);
    CHECK(world_poll(&node) == 0 && node.state == STATE_WAITING);
    CHECK(check_is_zero(&node.handshake, sizeof node.handshake));
    while (world.sends == 1) {
        CHECK(world_wait(&world, &node, 100) == 0);
    }
    link_answer(&world, &node, &peer, 8, 0);
}

/* Payloads of all sizes, ids and tags, both ways; what does not fit is refused. */
static void payloads(void)
{
    for (int wide = 0; wide < 2; wide++) {
        for (int long_tag = 0; long_tag < 2; long_tag++) {
            const uint8_t room = (uint8_t)(58 - (wide ? 7 : 5) - 2 - (long_tag ? 16 : 8));
            const uint8_t flag = long_tag ? SELO_FRAME_LONG_TAG : 0;
            uint8_t payload[60], opened[58];
            uint32_t n = 0;

            link_join(&world, &hal, &node, &peer, wide ? 0x10000 : 0xffff, (uint8_t)long_tag);
            check_random_bytes(payload, sizeof payload);
            CHECK(room == (wide ? long_tag ? 33 : 41 : long_tag ? 35 : SELO_LINK_PAYLOAD_MAX));
            for (uint8_t size = 0; size < 60; size++) {
                unsigned sends = world.sends;
                if (size > room) {
                    CHECK(selo_node_send(&node, payload, size, 0) == SELO_ERROR_SPACE);
                    CHECK(world.sends == sends);
                    continue;
                }
                CHECK(selo_node_send(&node, payload, size, 0) == SELO_OK);
                CHECK(world.sends == sends + 1);
                CHECK(last_up(n, opened) == size);
                CHECK_BYTES(opened, payload, size);
                CHECK((last_flags() & ~SELO_FRAME_ACK_REQUEST) == (wide | flag));
                n++;
            }
            CHECK(selo_node_send(&node, payload, 255, 0) == SELO_ERROR_SPACE);
            CHECK(selo_node_send(&node, payload, 1, 2) == SELO_ERROR_ARGUMENT);
            selo_node_end_handshake(&node);
            node.flags &= (uint8_t)~FLAG_JOIN_WANTED;
            node.events = 0;
            for (uint8_t size = 0; size <= room + 2; size++) { /* DOWN has no room to reserve */
                CHECK(down(flag, size, payload, size) == EVENT(RECEIVED));
                CHECK(node.received_size == 0); /* by now it has been polled away */
                CHECK_BYTES(node.received, payload, size);
            }
        }
    }
    CHECK(sizeof node.received == 45);

    /* received is valid until the next poll, and a send does not touch it. */
    link_join(&world, &hal, &node, &peer, 1, 0);
    {
        uint8_t frame[58], opened[58];
        world_give(&world, frame, peer_down(&peer, frame, 0, 0, "echo", 4));
        CHECK(selo_node_poll(&node) == SELO_NODE_RECEIVED && node.received_size == 4);
        CHECK(selo_node_send(&node, node.received, node.received_size, 0) == SELO_OK);
        CHECK_BYTES(node.received, "echo", 4);
        CHECK(last_up(0, opened) == 4);
        CHECK_BYTES(opened, "echo", 4);
        CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING && node.received_size == 0);
    }

    /* A transport that does not accept the frame: the caller gets an error, and the counter is not used
 * again. */
    world.send_fails = 1;
    CHECK(selo_node_send(&node, "a", 1, SELO_NODE_CONFIRMED) == SELO_ERROR_SEND);
    CHECK(node.confirmed.size == 0 && node.session.unheard == 1);
    world.send_fails = 0;
    CHECK(selo_node_send(&node, "b", 1, 0) == SELO_OK);
    {
        uint8_t opened[58];
        CHECK(last_up(3 - 1, opened) == 1 && opened[0] == 'b');
    }
}

/* A confirmed payload is repeated after 2 to 3 s, twice and four times that, bit for bit, and
 * given up after eight times that. */
static void confirmed(void)
{
    uint8_t first[58], opened[58], ack[2] = {0, 0};
    unsigned sends;
    uint32_t pause;

    link_join(&world, &hal, &node, &peer, 1, 0);
    CHECK(selo_node_send(&node, "r", 1, SELO_NODE_CONFIRMED) == SELO_OK);
    sends = world.sends;
    memcpy(first, world_last(&world), 58);
    CHECK(last_flags() == SELO_FRAME_ACK_REQUEST && last_up(0, opened) == 1);
    CHECK(selo_node_send(&node, "s", 1, SELO_NODE_CONFIRMED) == SELO_ERROR_STATE);
    pause = first_pause();
    for (int repeat = 0; repeat < 3; repeat++, pause *= 2) {
        CHECK(world_wait(&world, &node, pause - 1) == 0 && world.sends == sends);
        CHECK(selo_node_send(&node, "u", 1, 0) == SELO_OK); /* others may pass it */
        CHECK(world_wait(&world, &node, 1) == 0 && world.sends == sends + 2);
        CHECK_BYTES(world_last(&world), first, world_last_size(&world));
        sends = world.sends;
    }
    CHECK(world_wait(&world, &node, pause - 1) == 0 && world.sends == sends);
    CHECK(world_wait(&world, &node, 1) == EVENT(UNDELIVERED) && world.sends == sends);
    CHECK(world_wait(&world, &node, 60000) == 0 && world.sends == sends);
    CHECK(node.session.unheard == 7); /* repetitions count */

    /* An acknowledgement of it, of another one, and one with a payload; late. */
    CHECK(selo_node_send(&node, "t", 1, SELO_NODE_CONFIRMED) == SELO_OK); /* counter 4 */
    CHECK(down(SELO_FRAME_ACK, 0, ack, 2) == 0); /* of counter 0: too late for that one */
    CHECK(node.confirmed.size != 0 && node.session.unheard == 0);
    world_wait(&world, &node, 3100); /* the longest first pause is 3,020 */
    CHECK(node.session.unheard == 1);
    ack[0] = 4;
    CHECK(down(SELO_FRAME_ACK, 1, ack, 2) == EVENT(DELIVERED));
    CHECK(world_wait(&world, &node, 60000) == 0);
    CHECK(selo_node_send(&node, "v", 1, SELO_NODE_CONFIRMED) == SELO_OK);
    {
        uint8_t frame[58];
        world_give(&world, frame, peer_down(&peer, frame, SELO_FRAME_ACK, 2, "\5\0on", 4));
        CHECK(selo_node_poll(&node) == SELO_NODE_DELIVERED);
        CHECK(selo_node_poll(&node) == SELO_NODE_RECEIVED);
        CHECK(node.received_size == 2);
        CHECK_BYTES(node.received, "on", 2);
        CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING);
    }
    /* Only the low 16 bits are acknowledged. */
    node.session.up_next = 0xffff;
    CHECK(selo_node_send(&node, "w", 1, SELO_NODE_CONFIRMED) == SELO_OK);
    CHECK(down(SELO_FRAME_ACK, 3, "\377\377", 2) == EVENT(DELIVERED));

    /* A new session gives it up, because the keys of the old session are gone. */
    CHECK(selo_node_send(&node, "x", 1, SELO_NODE_CONFIRMED) == SELO_OK);
    CHECK(selo_node_join(&node) == SELO_OK);
    {
        uint8_t accept[58];
        CHECK(peer_accept(&peer, accept, world_last(&world), link_key, 2, 0));
        world_give(&world, accept, 58);
        CHECK(selo_node_poll(&node) == SELO_NODE_UNDELIVERED);
        CHECK(selo_node_poll(&node) == SELO_NODE_JOINED);
        CHECK(world_wait(&world, &node, 60000) == 0);
    }
    /* If the transport is busy when a repetition is due, the next one comes at its usual time. */
    CHECK(selo_node_send(&node, "y", 1, SELO_NODE_CONFIRMED) == SELO_OK);
    world.send_fails = 1;
    CHECK(world_wait(&world, &node, 15 * first_pause() - 1) == 0);
    CHECK(world_wait(&world, &node, 400) == EVENT(UNDELIVERED));
    CHECK(node.session.unheard == 1);
}

static void acknowledges(void)
{
    uint8_t opened[58], frame[58];
    unsigned sends;

    link_join(&world, &hal, &node, &peer, 1, 0);
    /* The acknowledgement travels alone, at the next opportunity, once, without requesting one. */
    sends = world.sends;
    world_give(&world, frame, peer_down(&peer, frame, SELO_FRAME_ACK_REQUEST, 0x1234, "do", 2));
    CHECK(selo_node_poll(&node) == SELO_NODE_RECEIVED && world.sends == sends);
    CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING && world.sends == sends + 1);
    CHECK(last_flags() == SELO_FRAME_ACK && last_up(0, opened) == 2);
    CHECK_BYTES(opened, "\x34\x12", 2);
    CHECK(node.session.unheard == 0); /* it does not count */
    CHECK(world_wait(&world, &node, 100000) == 0 && world.sends == sends + 1);

    /* If a payload is sent earlier, the acknowledgement travels with it. */
    world_give(&world, frame, peer_down(&peer, frame, SELO_FRAME_ACK_REQUEST, 0x1235, "do", 2));
    CHECK(selo_node_poll(&node) == SELO_NODE_RECEIVED);
    CHECK(selo_node_send(&node, "done", 4, SELO_NODE_CONFIRMED) == SELO_OK);
    CHECK(last_flags() == (SELO_FRAME_ACK | SELO_FRAME_ACK_REQUEST) && last_up(1, opened) == 6);
    CHECK_BYTES(opened, "\x35\x12" "done", 6);
    sends = world.sends;
    CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING && world.sends == sends);
    memcpy(frame, world_last(&world), 58);
    CHECK(world_wait(&world, &node, 3020) == 0);
    CHECK_BYTES(world_last(&world), frame, world_last_size(&world)); /* repeated with it */
    CHECK(down(SELO_FRAME_ACK, 0x1236, "\1\0", 2) == EVENT(DELIVERED));

    /* The longest payload has room for an acknowledgement. An empty payload is sent without it, and the
     * acknowledgement follows alone. */
    CHECK(down(SELO_FRAME_ACK_REQUEST, 0x1237, "", 0) == EVENT(RECEIVED));
    world_give(&world, frame, peer_down(&peer, frame, SELO_FRAME_ACK_REQUEST, 0x1238, "do", 2));
    CHECK(selo_node_poll(&node) == SELO_NODE_RECEIVED);
    memset(frame, 'l', sizeof frame);
    CHECK(selo_node_send(&node, frame, SELO_LINK_PAYLOAD_MAX, 0) == SELO_OK);
    CHECK(world_last_size(&world) == 58);
    world_give(&world, frame, peer_down(&peer, frame, SELO_FRAME_ACK_REQUEST, 0x1239, "do", 2));
    CHECK(selo_node_poll(&node) == SELO_NODE_RECEIVED);
    CHECK(selo_node_send(&node, 0, 0, 0) == SELO_OK && last_flags() == 0);
    sends = world.sends;
    CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING && world.sends == sends + 1);
    CHECK(last_flags() == SELO_FRAME_ACK);

    /* Two acknowledgements at once: none is forgotten. */
    sends = world.sends;
    world_give(&world, frame, peer_down(&peer, frame, SELO_FRAME_ACK_REQUEST, 0x123a, "1", 1));
    CHECK(selo_node_poll(&node) == SELO_NODE_RECEIVED);
    world_give(&world, frame, peer_down(&peer, frame, SELO_FRAME_ACK_REQUEST, 0x123b, "2", 1));
    CHECK(selo_node_poll(&node) == SELO_NODE_RECEIVED && world.sends == sends + 1);
    CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING && world.sends == sends + 2);

    /* A frame seen before is not delivered. It is acknowledged again, once a second. */
    world.now += 5000;
    for (int second = 0; second < 3; second++) {
        sends = world.sends;
        for (int i = 0; i < 10; i++) {
            CHECK(down(SELO_FRAME_ACK_REQUEST, 0x123b, "2", 1) == 0);
            CHECK(world.sends == sends + 1);
            world.now += 99;
        }
        world.now += 10;
        CHECK(last_flags() == SELO_FRAME_ACK);
    }
    CHECK(down(0, 0x123b, "2", 1) == 0 && world.sends == sends + 1); /* it does not ask */
    /* A busy transport: the node does not try for ever, because the gateway will ask again. */
    world.send_fails = 1;
    sends = (unsigned)node.session.up_next;
    CHECK(down(SELO_FRAME_ACK_REQUEST, 0x123c, "3", 1) == EVENT(RECEIVED));
    CHECK(world_wait(&world, &node, 10000) == 0 && node.session.up_next == sends + 1);
}

/* 32 unanswered payloads, then 8 that request an acknowledgement, then a join. A hint shortens this
 * to three. */
static void unheard(void)
{
    uint8_t hint[5] = {SELO_FRAME_HINT, 0x34, 0x12};
    uint8_t wide_hint[5] = {SELO_FRAME_HINT | SELO_FRAME_WIDE, 0x34, 0x12, 1, 0};

    link_join(&world, &hal, &node, &peer, 0x1234, 0);
    for (unsigned i = 1; i <= 40; i++) {
        CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK);
        CHECK(last_flags() == (i > 32 ? SELO_FRAME_ACK_REQUEST : 0));
        CHECK(node.session.unheard == i);
        if (i < 40) {
            CHECK(world_poll(&node) == 0 && node.state == STATE_IDLE);
        }
    }
    CHECK(selo_node_poll(&node) == SELO_NODE_LOST);
    CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING && node.state == STATE_JOINING);
    CHECK(world_last(&world)[0] == SELO_FRAME_JOIN_REQUEST);
    /* The session continues meanwhile, and reports LOST once. */
    CHECK(selo_node_is_joined(&node));
    CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK);
    CHECK(world_poll(&node) == 0);
    CHECK(down(0, 0, "still here", 10) == EVENT(RECEIVED) && node.session.unheard == 0);
    CHECK(selo_node_join(&node) == SELO_OK); /* does nothing: it is joining */
    CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK && last_flags() == 0);
    CHECK(world_wait(&world, &node, 3020) == 0); /* the last frame is the request again */
    link_answer(&world, &node, &peer, 0x1234, 0);
    CHECK(node.session.unheard == 0 && node.session.up_next == 0);

    /* The old session is lost while a join is under way already: one join is enough. */
    CHECK(selo_node_join(&node) == SELO_OK);
    for (int i = 0; i < 40; i++) {
        CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK);
    }
    CHECK(world_poll(&node) == EVENT(LOST) && node.state == STATE_JOINING);
    CHECK(world_wait(&world, &node, 3020) == 0); /* the last frame is the request again */
    link_answer(&world, &node, &peer, 0x1234, 0);
    CHECK(world_poll(&node) == 0 && node.state == STATE_IDLE);

    /* A replayed DOWN does not count as an answer. */
    CHECK(down(SELO_FRAME_ACK_REQUEST, 0, "a", 1) == EVENT(RECEIVED));
    CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK && node.session.unheard == 1);
    world.now += 10000;
    CHECK(down(SELO_FRAME_ACK_REQUEST, 0, "a", 1) == 0 && node.session.unheard == 1);
    CHECK(last_flags() == SELO_FRAME_ACK);

    /* Hints of another form or session; then true ones. */
    world_give(&world, hint, 5);
    CHECK(world_poll(&node) == 0 && node.session.unheard == 1);
    world_give(&world, wide_hint, 5);
    CHECK(world_poll(&node) == 0 && node.session.unheard == 1);
    hint[1]++;
    world_give(&world, hint, 3);
    CHECK(world_poll(&node) == 0 && node.session.unheard == 1);
    hint[1]--;
    for (int i = 0; i < 3; i++) {
        CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK);
        world_give(&world, hint, 3);
        CHECK(world_poll(&node) == 0 && node.session.unheard == 37 + (unsigned)i);
        CHECK(last_flags() == (i == 0 ? 0 : SELO_FRAME_ACK_REQUEST));
    }
    /* A forged hint has no effect: the gateway answers the third request. */
    CHECK(down(0, 1, "b", 1) == EVENT(RECEIVED) && node.session.unheard == 0);
    CHECK(node.state == STATE_IDLE);
    world_give(&world, hint, 3);
    CHECK(world_poll(&node) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK && last_flags() == SELO_FRAME_ACK_REQUEST);
    }
    CHECK(world_poll(&node) == EVENT(LOST) && node.state == STATE_JOINING);
    link_answer(&world, &node, &peer, 0x00011234, 0);
    world_give(&world, hint, 3);
    CHECK(world_poll(&node) == 0 && node.session.unheard == 0);
    world_give(&world, wide_hint, 3);
    CHECK(world_poll(&node) == 0 && node.session.unheard == 0);
    world_give(&world, wide_hint, 5);
    CHECK(world_poll(&node) == 0 && node.session.unheard == 37);

    /* A node without a session ignores hints, whatever its memory contains. */
    CHECK(selo_node_provision(&node, LINK_ID, link_key) == SELO_OK);
    memset(hint, 0, sizeof hint);
    hint[0] = SELO_FRAME_HINT;
    world_give(&world, hint, 3);
    CHECK(world_poll(&node) == 0 && node.session.unheard == 0);
}

/* 2^17 packets, 2^15 forgeries, 2^32 counters. */
static void limits(void)
{
    uint8_t frame[58], size;

    link_join(&world, &hal, &node, &peer, 7, 0);
    node.session.up_next = 131070;
    CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK);
    CHECK(world_poll(&node) == 0 && node.state == STATE_IDLE);
    CHECK(!selo_node_is_waiting(&node));
    CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK);
    CHECK(selo_node_is_waiting(&node)); /* it is about to join again */
    CHECK(world_poll(&node) == 0 && node.state == STATE_JOINING);
    CHECK(selo_node_is_waiting(&node));
    CHECK(selo_node_send(&node, "x", 1, 0) == SELO_OK); /* the session continues meanwhile */
    world_wait(&world, &node, 3020);
    link_answer(&world, &node, &peer, 7, 0);
    CHECK(world_poll(&node) == 0 && node.state == STATE_IDLE && node.session.up_next == 0);

    CHECK(!selo_node_is_waiting(&node));
    CHECK(selo_node_send(&node, "x", 1, SELO_NODE_CONFIRMED) == SELO_OK);
    CHECK(selo_node_is_waiting(&node));
    for (unsigned i = 1; i <= 32768; i++) {
        size = peer_down(&peer, frame, 0, i & 0x3fff, "x", 1);
        frame[size - 1] ^= 1;
        world_give(&world, frame, size);
        if (i < 32768) {
            CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING && selo_node_is_joined(&node));
        }
    }
    CHECK(world_poll(&node) == (EVENT(LOST) | EVENT(UNDELIVERED)));
    CHECK(!selo_node_is_joined(&node) && check_is_zero(&node.session, sizeof node.session));
    CHECK(selo_node_send(&node, "x", 1, 0) == SELO_ERROR_STATE);
    CHECK(node.state == STATE_JOINING);
    link_answer(&world, &node, &peer, 7, 0);

    node.session.up_next = UINT32_MAX;
    size = (uint8_t)world.sends;
    CHECK(selo_node_send(&node, "x", 1, 0) == SELO_ERROR_STATE);
    CHECK((uint8_t)world.sends == size);
    CHECK(down(SELO_FRAME_ACK_REQUEST, 0, "x", 1) == EVENT(RECEIVED));
}

/* A device that reports a wrong size, with bytes that begin like a DOWN of the session. */
static uint8_t receive_too_much(void *context, uint8_t frame[58])
{
    memset(frame, 0, 58);
    peer_header(frame, (uint8_t)(SELO_FRAME_DOWN | (node.session.format & SELO_FRAME_LONG_TAG)),
                node.session.id, node.session.highest);
    return ((struct world *)context)->in_size;
}

/* Without a session its keys are zeros, which anyone has. */
static void no_session(void)
{
    struct selo_node before;

    memset(&peer, 0, sizeof peer);
    link_provision(&world, &hal, &node);
    before = node;
    CHECK(down(SELO_FRAME_ACK_REQUEST, 0, "act!", 4) == 0);
    memcpy(before.frame, node.frame, sizeof before.frame);
    CHECK_BYTES(&node, &before, sizeof node);
    CHECK(world.sends == 0);
}

/* Arbitrary bytes, in every state, have no effect and start no computation. */
static void junk(void)
{
    for (int state = 0; state < 5; state++) {
        struct selo_node before;
        if (state == 0) {
            link_begin(&world, &hal, &node);
        } else if (state == 1) {
            link_provision(&world, &hal, &node);
        } else if (state == 2) {
            link_join(&world, &hal, &node, &peer, 0x1234, 0);
        } else if (state == 3) {
            link_join(&world, &hal, &node, &peer, 0x12345, 1);
            CHECK(selo_node_join(&node) == SELO_OK);
        } else {
            link_provision(&world, &hal, &node);
            CHECK(selo_node_pair(&node) == SELO_OK);
        }
        link_multiplications = 0;
        for (unsigned i = 0; i < 4096; i++) {
            uint8_t frame[58];
            check_random_bytes(frame, sizeof frame);
            frame[0] = (uint8_t)i;
            before = node;
            world_give(&world, frame, (uint8_t)(1 + i % 58));
            CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING);
            memcpy(before.frame, node.frame, sizeof before.frame);
            before.session.forged = node.session.forged;
            CHECK_BYTES(&node, &before, sizeof node);
        }
        hal.receive = receive_too_much;
        for (world.in_size = 59; world.in_size != 0; world.in_size++) {
            before = node;
            CHECK(selo_node_poll(&node) == SELO_NODE_NOTHING);
            memcpy(before.frame, node.frame, sizeof before.frame);
            CHECK_BYTES(&node, &before, sizeof node);
        }
        CHECK(link_multiplications == 0);
    }
}

int main(void)
{
    begins();
    provisions();
    join_times(0);
    join_times(UINT32_MAX - 100000); /* the clock wraps on the way */
    cookies();
    join_counters();
    forged_accepts();
    zero_secret();
    payloads();
    confirmed();
    acknowledges();
    unheard();
    limits();
    no_session();
    junk();
    return check_report("link_node");
}
