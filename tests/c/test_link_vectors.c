/*
 * The link's computations against independently computed values (link_vectors.h), for the suite that
 * this program is compiled for.
 */
#include "link_peer.h"
#include "link_vectors.h"

#include "selo/link/join.h"
#include "selo/link/pairing.h"
#include "selo/link/random.h"

#define WANT vectors[SELO_LINK_SUITE - 1]

static const uint32_t id = 0x5e10a7c3, session_id = 0x0001a2b3, narrow_id = 0xb2c3;
static const uint32_t join_counter = 0x01020304;

static void fill(uint8_t *bytes, size_t size, uint8_t first)
{
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(first + i);
    }
}

static void check_is(const void *got, size_t size, const char *hex)
{
    uint8_t want[64];
    CHECK(check_hex(want, sizeof want, hex) == size);
    CHECK_BYTES(got, want, size);
}

static void joins(struct selo_session *session)
{
    struct selo_join join;
    uint8_t key[32], accept[58], untouched[sizeof *session];

    fill(key, 32, 0x40);
    fill(join.key, 32, 1);
    selo_join_start(&join, id, key, join_counter);
    check_is(join.request, 58, WANT.request);
    memset(session, 0xa5, sizeof *session);
    memcpy(untouched, session, sizeof *session);

    /* The check, e, the payload and the tag, each with a bit changed. */
    for (size_t at = 1; at < 58; at++) {
        const uint8_t before_e = at < 37;
        struct selo_join copy = join;
        check_hex(accept, 58, WANT.accept);
        accept[at] ^= 0x10;
        link_multiplications = 0;
        CHECK(selo_join_finish(&copy, session, accept) == SELO_ERROR_TAG);
        CHECK(copy.committed == !before_e && link_multiplications == !before_e);
        CHECK_BYTES(session, untouched, sizeof *session);
        if (before_e) {
            CHECK_BYTES(&copy, &join, sizeof join); /* nothing was computed from a stranger's e */
        }
        check_hex(accept, 58, WANT.accept);
        CHECK(selo_join_finish(&copy, session, accept) == SELO_OK); /* the true one still does */
        memcpy(session, untouched, sizeof *session);
    }
    check_hex(accept, 58, WANT.accept);
    CHECK(selo_join_finish(&join, session, accept) == SELO_OK);
    CHECK(check_is_zero(&join, sizeof join));
    check_is(session->up_key, 32, WANT.up);
    check_is(session->down_key, 32, WANT.down);
    CHECK(session->id == session_id);
    CHECK(session->format == (SELO_FRAME_WIDE | SELO_FRAME_LONG_TAG));
    CHECK(session->up_next == 0 && !session->heard && session->forged == 0);
}

static void sessions(struct selo_session *session)
{
    uint8_t frame[58];
    size_t size;

    session->up_next = 0x10005;
    CHECK(selo_session_seal(session, frame, 0, 0, "0123456789abcdef", 16) == 39);
    check_is(frame, 39, WANT.wide_up);
    CHECK(session->up_next == 0x10006);
    size = check_hex(frame, 58, WANT.wide_down);
    CHECK(selo_session_open(session, frame, (uint8_t)size, 0) == SELO_SESSION_ACCEPTED);
    CHECK_BYTES(frame + 7, "off", 3);

    session->id = narrow_id;
    session->format = 0;
    session->up_next = 7;
    session->highest = 0x3fff0;
    CHECK(selo_session_seal(session, frame, SELO_FRAME_ACK | SELO_FRAME_ACK_REQUEST, 0xfffe,
                            "23.5", 4) == 19);
    check_is(frame, 19, WANT.narrow_up);
    size = check_hex(frame, 58, WANT.narrow_down);
    CHECK(selo_session_open(session, frame, (uint8_t)size, 0) == SELO_SESSION_ACCEPTED);
    CHECK_BYTES(frame + 5, "on", 2);
    CHECK(session->highest == 0x3fffe);
}

static void pairings(void)
{
    struct selo_pairing pairing;
    uint8_t frame[58];

    fill(pairing.key, 32, 1);
    fill(pairing.reveal + 37, 16, 0xe0);
    selo_pairing_start(&pairing, id);
    check_is(pairing.commit, 38, WANT.commit);
    check_is(pairing.reveal, 53, WANT.reveal);
    check_hex(frame, 37, WANT.key_frame);
    CHECK(selo_pairing_derive(&pairing, frame) == SELO_OK);
    check_is(pairing.key, 32, WANT.device_key);
    CHECK(pairing.digits == WANT.digits);
    for (int x = 0; x < 2; x++) {
        for (size_t at = 0; at <= 21; at++) { /* 21: unaltered */
            check_hex(frame, 21, x ? WANT.result1 : WANT.result0);
            if (at < 21) {
                frame[at] ^= 1;
            }
            CHECK(selo_pairing_verify(&pairing, frame) == (at == 21));
        }
    }
    /* A peer of low order. */
    memset(frame, 0, sizeof frame);
    CHECK(selo_pairing_derive(&pairing, frame) == SELO_ERROR_KEY);
}

static void randoms(void)
{
    uint8_t key[32], stored[32], entropy[32], state[32], out[32];

    memset(entropy, 0x77, 32);
    fill(key, 32, 0x40);
    fill(stored, 32, 0xa0);
    selo_random_seed(state, key, stored, 0x1234, entropy);
    selo_random_draw(state, out);
    check_is(out, 32, WANT.seed);
    selo_random_draw(state, out);
    check_is(out, 32, WANT.draw2);
    memset(key, 0, 32);
    memset(stored, 0, 32);
    selo_random_seed(state, key, stored, 1, entropy);
    selo_random_draw(state, out);
    check_is(out, 32, WANT.first_seed);
    selo_random_draw(state, out);
    check_is(out, 4, WANT.first_id);
}

int main(void)
{
    struct selo_session session;

    joins(&session);
    sessions(&session);
    pairings();
    randoms();
    return check_report("link_vectors");
}
