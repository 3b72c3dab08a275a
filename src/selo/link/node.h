/*
 * struct selo_node, so that the caller can reserve its memory. selo.h includes this file. Read only
 * the fields marked public.
 */
#ifndef SELO_LINK_NODE_H
#define SELO_LINK_NODE_H

#include <stdint.h>

struct selo_hal;

#if SELO_LINK_HYBRID
#include "../mlkem/encapsulation.h"

/* Memory that a hybrid pairing borrows from the program, until both sides have the secret of ML-KEM.
 * 1,035 bytes on an Arduino Uno. The fields are internal. A hash takes the beginning of the area, which
 * is free between two calls of the encapsulation. */
union selo_node_workspace_fields {
    struct selo_mlkem_encapsulation encapsulation;
#if SELO_LINK_SUITE == SELO_LINK_AESGCM_SHA3_256
    struct selo_sha3 hash;
#elif SELO_LINK_SUITE == SELO_LINK_CHACHAPOLY_BLAKE2S
    struct selo_blake2s hash;
#elif SELO_LINK_SUITE == SELO_LINK_AESGCM_SHA256
    struct selo_sha256 hash;
#else
    struct selo_ascon_hash256 hash;
#endif
};
struct selo_node_workspace { union selo_node_workspace_fields of; };

/* The first part of a hybrid pairing under way [docs/protocol.md, hybrid pairing]. Its first 64 bytes
 * lie where selo_pairing has its key. */
struct selo_opening {
    uint8_t h[32];      /* the chain of hashes over the frames */
    uint8_t secret[32]; /* random bytes for the encapsulation; at the end the secret of ML-KEM */
    uint8_t frame[58];  /* PAIR-OPEN or PAIR-STEP, the last one sent */
    uint8_t size, step;
    struct selo_shake sponge; /* the rest of the encapsulation's state */
};
#endif

/* A pairing under way [docs/protocol.md, pair]. */
struct selo_pairing {
#if SELO_LINK_HYBRID
    uint8_t key[64];    /* the ephemeral secret, later the device key; then the secret of ML-KEM */
    uint8_t commit[58]; /* as below; before, h is in the place of the commitment */
#else
    uint8_t key[32];    /* the ephemeral secret; the device key once the digits are known */
    uint8_t commit[38]; /* PAIR-COMMIT; with the digits, the commitment becomes the result key */
#endif
    uint8_t reveal[53]; /* PAIR-REVEAL */
    uint32_t digits;
};

/* A join under way [docs/protocol.md, join]. */
struct selo_join {
    struct selo_noise {
        uint8_t h[32], ck[32];
    } noise;             /* the symmetric state [NOISE, 5.2] */
    uint8_t key[32];     /* the ephemeral secret; once committed, the key of the answer's payload */
    uint8_t request[58]; /* JOIN-REQUEST */
    uint8_t committed;   /* 1: noise and key include the answer's e */
};

/* A session [docs/protocol.md, data]. */
struct selo_session {
    uint8_t up_key[32], down_key[32];
    uint32_t id;
    uint32_t up_next; /* counter of the next UP */
    uint32_t highest; /* highest counter accepted, if a DOWN was accepted */
    uint32_t window;  /* bit i: highest - 1 - i was accepted */
    uint16_t forged;  /* tags that failed */
    uint8_t format;   /* the flags WIDE and LONG-TAG of its frames */
    uint8_t heard;    /* a DOWN has been accepted */
    uint8_t unheard;  /* UP frames sent since then */
};

/* A confirmed payload under way. */
struct selo_confirmed {
    uint8_t frame[58], size; /* size 0: there is none */
    uint8_t sent;
    uint16_t counter;
    uint32_t due;
};

struct selo_node {
    const struct selo_hal *hal;
    union {
        uint8_t received[45]; /* public: the payload of SELO_NODE_RECEIVED */
        uint8_t frame[58];    /* the frame that contained it */
    };
    uint8_t received_size; /* public */

    uint8_t flags, state, events; /* see node_state.h */
    uint32_t id;
    uint8_t key[32];       /* the device key */
    uint8_t random[32];    /* state of the generator */
    uint32_t join_counter; /* counter of the next join */
    uint8_t reserved;      /* join counters reserved in the record */

    uint8_t sent;     /* transmissions in this state */
    uint8_t failures; /* consecutive joins without an answer */
    uint32_t due;     /* time of the next action in this state */
#if SELO_LINK_HYBRID
    struct selo_node_workspace *workspace; /* null: none is lent */
    union {
    struct selo_opening opening; /* a node has no session during the first part */
    struct {
#endif
    union {
        struct selo_pairing pairing;
        struct selo_join join;
    } handshake;

    struct selo_session session;
    uint16_t acknowledge;        /* low bits of the counter to acknowledge */
    uint32_t acknowledged_again; /* time of the last acknowledgement of a repeated frame */
    struct selo_confirmed confirmed;
#if SELO_LINK_HYBRID
    };
    };
#endif
};

#endif
