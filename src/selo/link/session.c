/* UP, DOWN, DOWN-RESUMED, their counters and the replay window [docs/protocol.md, data]. */
#include <string.h>

#include "../common/compiler.h"
#include "../noise/suite.h"
#include "frame.h"
#include "session.h"

enum { WINDOW = 32 }; /* counters below the highest that are remembered */
enum { ACK_SIZE = 2, COUNTER_SIZE = 2, START_SIZE = 4 };

static uint8_t id_size(const struct selo_session *session)
{
    return session->format & SELO_FRAME_WIDE ? 4 : 2;
}

static uint8_t is_resumed(uint8_t first)
{
    return (first & SELO_FRAME_TYPE) == SELO_FRAME_DOWN_RESUMED;
}

uint8_t selo_session_header_size(const struct selo_session *session, uint8_t first)
{
    return (uint8_t)(1 + id_size(session) + (is_resumed(first) ? START_SIZE : 0) + COUNTER_SIZE);
}

uint8_t selo_session_tag_size(const struct selo_session *session)
{
    return session->format & SELO_FRAME_LONG_TAG ? 16 : 8;
}

uint8_t selo_session_room(const struct selo_session *session)
{
    return (uint8_t)(SELO_LINK_FRAME_MAX - selo_session_header_size(session, SELO_FRAME_UP) - ACK_SIZE
                     - selo_session_tag_size(session));
}

uint8_t selo_session_seal(struct selo_session *session, uint8_t frame[SELO_LINK_FRAME_MAX],
                          uint8_t flags, uint16_t acknowledge, const void *payload, uint8_t size)
{
    const uint8_t header_size = selo_session_header_size(session, SELO_FRAME_UP);
    const uint8_t tag_size = selo_session_tag_size(session);
    uint8_t *at = frame;

    if (session->up_next == UINT32_MAX) {
        return 0;
    }
    *at++ = (uint8_t)(SELO_FRAME_UP | session->format | flags);
    selo_link_put(at, session->id, id_size(session));
    at += id_size(session);
    selo_link_put(at, session->up_next, 2);
    at += 2;
    if (flags & SELO_FRAME_ACK) {
        selo_link_put(at, acknowledge, ACK_SIZE);
        at += ACK_SIZE;
    }
    if (size != 0) {
        memcpy(at, payload, size);
        at += size;
    }
    size = (uint8_t)(at - frame - header_size);
    selo_suite_seal(session->up_key, session->up_next, frame, header_size, frame + header_size,
                    size, tag_size);
    session->up_next++;
    return (uint8_t)(header_size + size + tag_size);
}

/*
 * Reconstructs a counter from its low 16 bits: *n is the value nearest to the expected counter.
 * Returns 0 if it would be negative, or 2^32 or more. Sums are modulo 2^32, so a value out of range
 * ends on the wrong side of the expected counter. After 2^32 - 1 the expected counter itself is
 * out of range.
 */
static uint8_t reconstruct(const struct selo_session *session, uint16_t low, uint32_t *n)
{
    const uint32_t expected = session->heard ? session->highest + 1 : 0;
    const int32_t distance = (int16_t)(low - (uint16_t)expected);

    *n = expected + (uint32_t)distance;
    if (session->heard && expected == 0) {
        return distance < 0;
    }
    return distance < 0 ? *n < expected : *n >= expected;
}

/* Returns 1 if n was accepted before, or is too old for the window. */
static uint8_t is_seen(const struct selo_session *session, uint32_t n)
{
    const uint32_t age = session->highest - n;

    if (!session->heard || n > session->highest) {
        return 0;
    }
    return age == 0 || age > WINDOW || (session->window >> (age - 1) & 1);
}

/* Returns 1 if is_seen() knows that n was accepted, and not only that it is too old. */
static uint8_t is_remembered(const struct selo_session *session, uint32_t n)
{
    return session->highest - n <= WINDOW;
}

static void remember(struct selo_session *session, uint32_t n)
{
    if (!session->heard) {
        session->heard = 1;
        session->highest = n;
    } else if (n > session->highest) {
        const uint32_t step = n - session->highest;
        session->window = step < WINDOW ? session->window << step : 0;
        if (step <= WINDOW) {
            session->window |= (uint32_t)1 << (step - 1); /* the previous highest counter */
        }
        session->highest = n;
    } else {
        session->window |= (uint32_t)1 << (session->highest - n - 1);
    }
}

/* Opens a DOWN with the session's key, and a DOWN-RESUMED with the key of the gateway's start. */
static SELO_STACK_APART enum selo_status unseal(const struct selo_session *session, uint32_t n,
                                                uint8_t *frame, uint8_t header_size, uint8_t size,
                                                uint8_t tag_size)
{
    uint8_t key[32];
    enum selo_status status;

    memcpy(key, session->down_key, sizeof key);
    if (is_resumed(frame[0])) {
        selo_suite_digest(key, key, frame + header_size - COUNTER_SIZE - START_SIZE, START_SIZE);
    }
    status = selo_suite_open(key, n, frame, header_size, frame + header_size, size, tag_size);
    selo_wipe(key, sizeof key);
    return status;
}

enum selo_session_verdict selo_session_open(struct selo_session *session, uint8_t *frame,
                                            uint8_t size, uint8_t repeats)
{
    const uint8_t header_size = selo_session_header_size(session, frame[0]);
    const uint8_t tag_size = selo_session_tag_size(session);
    const uint8_t least = (uint8_t)(header_size + tag_size
                                    + (frame[0] & SELO_FRAME_ACK ? ACK_SIZE : 0));
    uint32_t n;
    uint8_t seen;

    if (size < least
        || ((frame[0] ^ session->format) & (SELO_FRAME_WIDE | SELO_FRAME_LONG_TAG)) != 0
        || selo_link_get(frame + 1, id_size(session)) != session->id
        || !reconstruct(session, (uint16_t)selo_link_get(frame + header_size - COUNTER_SIZE, COUNTER_SIZE),
                        &n)) {
        return SELO_SESSION_DROPPED;
    }
    seen = is_seen(session, n);
    if (seen && !(repeats && (frame[0] & SELO_FRAME_ACK_REQUEST) && is_remembered(session, n))) {
        return SELO_SESSION_DROPPED;
    }
    if (unseal(session, n, frame, header_size, (uint8_t)(size - header_size - tag_size), tag_size)
        != SELO_OK) {
        return SELO_SESSION_FORGED;
    }
    if (seen) {
        return SELO_SESSION_REPEATED;
    }
    remember(session, n);
    return SELO_SESSION_ACCEPTED;
}
