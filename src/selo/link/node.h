/*
 * struct selo_node, for whoever reserves the memory. Only what is marked public
 * may be read from outside; selo.h includes this file.
 */
#ifndef SELO_LINK_NODE_H
#define SELO_LINK_NODE_H

#include <stdint.h>

struct selo_hal;

/* A pairing under way [docs/protocol.md, pair]. */
struct selo_pairing {
    uint8_t key[32];    /* the ephemeral secret; with the digits, the device key */
    uint8_t commit[38]; /* PAIR-COMMIT; with the digits, the result key in its last 32 bytes */
    uint8_t reveal[53]; /* PAIR-REVEAL */
    uint32_t digits;
};

/* A join under way [docs/protocol.md, join]. */
struct selo_join {
    struct selo_noise {
        uint8_t h[32], ck[32];
    } noise;             /* the symmetric state [NOISE, 5.2] */
    uint8_t key[32];     /* the ephemeral secret; when committed, the key of the answer's payload */
    uint8_t request[58]; /* JOIN-REQUEST */
    uint8_t committed;   /* the answer's e is in noise and key */
};

/* A session [docs/protocol.md, data]. */
struct selo_session {
    uint8_t up_key[32], down_key[32];
    uint32_t id;
    uint32_t up_next; /* counter of the next UP */
    uint32_t highest; /* of the counters accepted, if any was heard */
    uint32_t window;  /* bit i: highest - 1 - i was accepted */
    uint16_t forged;  /* tags that failed */
    uint8_t format;   /* the flags WIDE and LONG-TAG of its frames */
    uint8_t heard;    /* a DOWN has been accepted */
    uint8_t unheard;  /* UP frames sent since then */
};

struct selo_node {
    const struct selo_hal *hal;
    union {
        uint8_t received[45]; /* public: the payload of SELO_NODE_RECEIVED */
        uint8_t frame[58];    /* the frame that it came in */
    };
    uint8_t received_size; /* public */

    uint8_t flags, state, events; /* as node_state.h says */
    uint32_t id;
    uint8_t key[32];       /* the device key */
    uint8_t random[32];    /* state of the generator */
    uint32_t join_counter; /* of the next join */
    uint8_t reserved;      /* join counters that the record has passed */

    uint8_t sent;     /* transmissions in this state */
    uint8_t failures; /* joins without an answer, one after another */
    uint32_t due;     /* when something happens next in this state */
    union {
        struct selo_pairing pairing;
        struct selo_join join;
    } handshake;

    struct selo_session session;
    uint16_t acknowledge;        /* low bits of the counter that is to be acknowledged */
    uint32_t acknowledged_again; /* when a repeated frame was acknowledged last */
    struct {
        uint8_t frame[58], size; /* size 0: none is on its way */
        uint8_t sent;
        uint16_t counter;
        uint32_t due;
    } confirmed;
};

#endif
