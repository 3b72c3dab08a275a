/*
 * The frames of the link, byte by byte [docs/protocol.md, words and bytes].
 */
#ifndef SELO_LINK_FRAME_H
#define SELO_LINK_FRAME_H

#include "../../selo.h"

/* First bytes of the frames: the type, and the flags where they are fixed. */
enum {
    SELO_FRAME_PAIR_COMMIT = 0x10,
    SELO_FRAME_PAIR_KEY = 0x20,
    SELO_FRAME_PAIR_REVEAL = 0x30,
    SELO_FRAME_PAIR_CONFIRMED = 0x40,
    SELO_FRAME_PAIR_REJECTED = 0x41,
    SELO_FRAME_JOIN_REQUEST = 0x50,
    SELO_FRAME_JOIN_ACCEPT = 0x60,
    SELO_FRAME_UP = 0x70,
    SELO_FRAME_DOWN = 0x80,
    SELO_FRAME_HINT = 0x90,
    SELO_FRAME_COOKIE = 0xa0,
    SELO_FRAME_COOKIE_ECHO = 0xb0,
    SELO_FRAME_DOWN_RESUMED = 0xd0,
    SELO_FRAME_PAIR_OPEN = 0xe0,
    SELO_FRAME_PAIR_STEP = 0xe1,
    SELO_FRAME_PAIR_PIECE = 0xe2,

    SELO_FRAME_TYPE = 0xf0 /* mask of the type in the first byte */
};

/* Flags of UP, DOWN and DOWN-RESUMED. HINT also has WIDE. */
enum {
    SELO_FRAME_WIDE = 1,
    SELO_FRAME_LONG_TAG = 2,
    SELO_FRAME_ACK_REQUEST = 4,
    SELO_FRAME_ACK = 8
};

/* Sizes of whole frames. */
enum {
    SELO_FRAME_PAIR_COMMIT_SIZE = SELO_LINK_HYBRID ? 58 : 38,
    SELO_FRAME_PAIR_KEY_SIZE = 37,
    SELO_FRAME_PAIR_REVEAL_SIZE = 53,
    SELO_FRAME_PAIR_RESULT_SIZE = 21,
    SELO_FRAME_JOIN_SIZE = 58, /* request and accept */
    SELO_FRAME_COOKIE_SIZE = 13, /* and its echo */
    SELO_FRAME_PAIR_OPEN_SIZE = 11,
    SELO_FRAME_PAIR_PIECE_SIZE = 6 /* of PAIR-STEP and PAIR-PIECE, without the piece */
};

/* The bytes before the rest of a handshake frame: type and id, or type and check. */
enum { SELO_FRAME_HANDSHAKE_HEADER = 5 };

/* Offset of the commitment in a PAIR-COMMIT, after the suite. */
enum { SELO_FRAME_COMMITMENT = SELO_FRAME_HANDSHAKE_HEADER + 1 };

/* The code of ML-KEM-512 or ML-KEM-768 in frames of a hybrid pairing; 0 in any other. */
enum { SELO_FRAME_KEM = SELO_LINK_HYBRID == 512 ? 1 : SELO_LINK_HYBRID == 768 ? 2 : 0 };

/* Option bit of both payloads of a join. */
enum { SELO_FRAME_OPTION_LONG_TAG = 1 };

/* Little-endian integers of `size` bytes, up to 4. */
void selo_link_put(uint8_t *at, uint32_t value, uint8_t size);
uint32_t selo_link_get(const uint8_t *at, uint8_t size);

#endif
