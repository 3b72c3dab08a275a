/*
 * The counter of a DOWN and its replay window, against a model that remembers everything and computes
 * in 64 bits. A frame is accepted exactly if its counter is the nearest to the expected one, in range,
 * not below the window, and new.
 */
#include "link_peer.h"

enum { WINDOW = 32 };

static struct peer peer;
static struct selo_session session;

/* The model: all counters that were accepted. */
static uint64_t accepted[4096];
static unsigned accepted_count;

static int64_t highest(void)
{
    int64_t most = -1;
    for (unsigned i = 0; i < accepted_count; i++) {
        if ((int64_t)accepted[i] > most) {
            most = (int64_t)accepted[i];
        }
    }
    return most;
}

static int was_accepted(int64_t n)
{
    for (unsigned i = 0; i < accepted_count; i++) {
        if ((int64_t)accepted[i] == n) {
            return 1;
        }
    }
    return 0;
}

/* The counter of a frame with these low bits, or -1, found by trying each. */
static int64_t nearest(uint16_t low)
{
    const int64_t expected = highest() + 1;
    int64_t n = expected - 32768;

    while ((uint16_t)n != low) {
        n++;
    }
    return n < 0 || n > UINT32_MAX ? -1 : n;
}

/* Sends a genuine frame of counter n, and before it one with a wrong tag. */
static void try_counter(uint32_t n)
{
    uint8_t frame[58], forged[58];
    const uint8_t size = peer_down(&peer, frame, 0, n, "x", 1);
    const int64_t understood = nearest((uint16_t)n);
    const int judged = understood >= 0 && understood + WINDOW >= highest()
                       && !was_accepted(understood);
    struct selo_session before = session;
    enum selo_session_verdict verdict;

    memcpy(forged, frame, size);
    forged[size - 1] ^= 1;
    verdict = selo_session_open(&session, forged, size, 0);
    CHECK(verdict == (judged ? SELO_SESSION_FORGED : SELO_SESSION_DROPPED));
    CHECK_BYTES(&session, &before, sizeof session); /* the window moves after the tag verifies */

    verdict = selo_session_open(&session, frame, size, 0);
    if (!judged) {
        CHECK(verdict == SELO_SESSION_DROPPED);
        CHECK_BYTES(&session, &before, sizeof session);
    } else if (understood == n) {
        CHECK(verdict == SELO_SESSION_ACCEPTED);
        accepted[accepted_count++] = n;
    } else { /* mistaken for another counter, under which its tag is wrong */
        CHECK(verdict == SELO_SESSION_FORGED);
        CHECK_BYTES(&session, &before, sizeof session);
    }
}

static void start(void)
{
    memset(&session, 0, sizeof session);
    session.id = peer.id;
    memcpy(session.down_key, peer.down_key, 32);
    accepted_count = 0;
}

/* From each of these, every distance around every boundary, each in its own session. */
static void edges(void)
{
    static const uint32_t from[] = {0,       1,       31,      32,         33,         34,
                                    32766,   32767,   32768,   65535,      65536,      65567,
                                    1000000, 0x7fffffff, 0x80000000, UINT32_MAX - 33,
                                    UINT32_MAX - 1, UINT32_MAX};
    static const int32_t edge[] = {0, -32, 32, -32768, 32768, -65536, 65536};

    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        for (size_t j = 0; j < sizeof edge / sizeof edge[0]; j++) {
            for (int32_t d = -3; d <= 3; d++) {
                const int64_t n = (int64_t)from[i] + edge[j] + d;
                if (n < 0 || n > UINT32_MAX) {
                    continue;
                }
                start();
                session.heard = 1; /* as if it had come */
                session.highest = from[i];
                accepted[accepted_count++] = from[i];
                try_counter((uint32_t)n);
                try_counter((uint32_t)n);       /* once more */
                try_counter(from[i]);           /* the previous highest */
            }
        }
    }
    for (int64_t n = 0; n < 65700; n = n < 40 || n > 65480 || (n > 32700 && n < 32800) ? n + 1 : n + 997) {
        start(); /* the first frame of a session */
        try_counter((uint32_t)n);
        try_counter((uint32_t)n);
    }
}

/* Every order of seven frames around the window's edge. */
static void orders(void)
{
    static const uint32_t counters[7] = {0, 1, 31, 32, 33, 34, 66};
    unsigned order[7] = {0, 0, 0, 0, 0, 0, 0};
    unsigned i = 1;

    /* Heap's permutations without recursion. */
    uint32_t c[7];
    memcpy(c, counters, sizeof c);
    for (;;) {
        start();
        for (unsigned j = 0; j < 7; j++) {
            try_counter(c[j]);
        }
        while (i < 7 && order[i] == i) {
            order[i++] = 0;
        }
        if (i == 7) {
            break;
        }
        unsigned j = i % 2 == 0 ? 0 : order[i];
        uint32_t keep = c[i];
        c[i] = c[j];
        c[j] = keep;
        order[i]++;
        i = 1;
    }
}

/* Long disorder: steps of all sizes, repetitions, jumps across 16 bits. */
static void disorder(void)
{
    int64_t at = 0;

    start();
    while (accepted_count < 1500) {
        const uint32_t kind = check_random() % 16;
        int64_t n = at;
        if (kind < 8) {
            n += (int64_t)(check_random() % 5) - 2;
        } else if (kind < 14) {
            n += (int64_t)(check_random() % 80) - 40;
        } else if (kind < 15) {
            n += (int64_t)(check_random() % 70000) - 35000;
        } else {
            n += 32767;
        }
        if (n >= 0) {
            try_counter((uint32_t)n);
            at = highest() + 1;
        }
    }
}

/* A frame seen before is opened again only if the caller allows it, the frame requests it, and its
 * counter is remembered. */
static void repetitions(void)
{
    uint8_t frame[58], size;
    struct selo_session before;

    for (int asks = 0; asks < 2; asks++) {
        for (uint32_t age = 0; age <= 40; age++) {
            start();
            session.heard = 1;
            session.highest = 1000;
            session.window = 0xffffffff;
            before = session;
            for (int repeats = 0; repeats < 2; repeats++) {
                const int opened = asks && repeats && age <= WINDOW;
                size = peer_down(&peer, frame, asks ? SELO_FRAME_ACK_REQUEST : 0, 1000 - age, "x", 1);
                CHECK(selo_session_open(&session, frame, size, (uint8_t)repeats)
                      == (opened ? SELO_SESSION_REPEATED : SELO_SESSION_DROPPED));
                size = peer_down(&peer, frame, asks ? SELO_FRAME_ACK_REQUEST : 0, 1000 - age, "x", 1);
                frame[5] ^= 1;
                CHECK(selo_session_open(&session, frame, size, (uint8_t)repeats)
                      == (opened ? SELO_SESSION_FORGED : SELO_SESSION_DROPPED));
                CHECK_BYTES(&session, &before, sizeof session);
            }
        }
    }
}

/* The form of a session's frame: flags, id, size. Any other frame is dropped unopened. */
static void shapes(void)
{
    uint8_t frame[58];

    for (unsigned wide = 0; wide < 2; wide++) {
        for (unsigned long_tag = 0; long_tag < 2; long_tag++) {
            const uint8_t format = (uint8_t)(wide * SELO_FRAME_WIDE + long_tag * SELO_FRAME_LONG_TAG);
            peer.id = wide ? 0x00010000 : 0x0000ffff;
            start();
            session.format = format;
            for (unsigned flags = 0; flags < 16; flags++) {
                for (unsigned size = 1; size <= 58; size++) {
                    const unsigned least = 5 + 2 * wide + 8 + 8 * long_tag
                                           + (flags & SELO_FRAME_ACK ? 2 : 0);
                    const int fits = (flags & 3) == format && size >= least;
                    memset(frame, 0, sizeof frame);
                    frame[0] = (uint8_t)(SELO_FRAME_DOWN | flags);
                    selo_link_put(frame + 1, peer.id, wide ? 4 : 2);
                    CHECK(selo_session_open(&session, frame, (uint8_t)size, 0)
                          == (fits ? SELO_SESSION_FORGED : SELO_SESSION_DROPPED));
                    memset(frame, 0, sizeof frame);
                    frame[0] = (uint8_t)(SELO_FRAME_DOWN | flags);
                    selo_link_put(frame + 1, peer.id ^ 0x0100, wide ? 4 : 2);
                    CHECK(selo_session_open(&session, frame, (uint8_t)size, 0) == SELO_SESSION_DROPPED);
                }
            }
        }
    }
}

/* The last counter is never sent, and nothing after it. */
static void spent(void)
{
    uint8_t frame[58];

    peer.id = 7;
    start();
    session.up_next = UINT32_MAX - 1;
    CHECK(selo_session_seal(&session, frame, 0, 0, "x", 1) == 14);
    CHECK(selo_session_seal(&session, frame, 0, 0, "x", 1) == 0);
    CHECK(session.up_next == UINT32_MAX);
}

int main(void)
{
    peer.id = 0x1234;
    check_random_bytes(peer.down_key, 32);
    edges();
    orders();
    disorder();
    repetitions();
    shapes();
    spent();
    return check_report("link_counters");
}
