/*
 * One round of Speck128 and its inverse [SPECK2013, 4.1], and conversions between words and bytes
 * [SPECKGUIDE, 2]: in halves for an 8-bit CPU, in uint64_t for others.
 *
 * A round is  x = ((x >>> 8) + y) ^ k;  y = (y <<< 3) ^ x.
 * SPECK_MIX does the first assignment up to the key, SPECK_TURN the second. SPECK_UNMIX and
 * SPECK_UNTURN undo them. The key schedule uses the same round, with the round number as k
 * [SPECK2013, 4.2].
 */
#ifndef SELO_SPECK_ROUND_H
#define SELO_SPECK_ROUND_H

#include <string.h>

#include "../common/bytewise.h"
#include "../common/sum64.h"

#if SELO_BYTEWISE

#define SPECK_WORD(x) SELO_PAIR(x)
#define SPECK_LOAD(x, p) SELO_PAIR_LOAD(x, p, 0)
#define SPECK_STORE(x, p) SELO_PAIR_STORE(x, p)
#define SPECK_XOR_KEY(x, p) SELO_PAIR_XOR_LOAD(x, p, 0)
#define SPECK_XOR_NUMBER(x, i) (x##_lo.byte[0] ^= (i))

#define SPECK_MIX(x, y)                   \
    do {                                  \
        uint8_t lowest_ = x##_lo.byte[0]; \
        x##_lo.byte[0] = x##_lo.byte[1];  \
        x##_lo.byte[1] = x##_lo.byte[2];  \
        x##_lo.byte[2] = x##_lo.byte[3];  \
        x##_lo.byte[3] = x##_hi.byte[0];  \
        x##_hi.byte[0] = x##_hi.byte[1];  \
        x##_hi.byte[1] = x##_hi.byte[2];  \
        x##_hi.byte[2] = x##_hi.byte[3];  \
        x##_hi.byte[3] = lowest_;         \
        SELO_PAIR_OPAQUE(x);              \
        SELO_PAIR_ADD(x, y);              \
    } while (0)
#define SPECK_UNMIX(x, y)                \
    do {                                 \
        uint8_t highest_;                \
        SELO_PAIR_SUBTRACT(x, y);        \
        SELO_PAIR_OPAQUE(x);             \
        highest_ = x##_hi.byte[3];       \
        x##_hi.byte[3] = x##_hi.byte[2]; \
        x##_hi.byte[2] = x##_hi.byte[1]; \
        x##_hi.byte[1] = x##_hi.byte[0]; \
        x##_hi.byte[0] = x##_lo.byte[3]; \
        x##_lo.byte[3] = x##_lo.byte[2]; \
        x##_lo.byte[2] = x##_lo.byte[1]; \
        x##_lo.byte[1] = x##_lo.byte[0]; \
        x##_lo.byte[0] = highest_;       \
        SELO_PAIR_OPAQUE(x);             \
    } while (0)

/* Rotate by one bit three times: avr-gcc makes a loop of a longer rotation. */
#define SPECK_SHIFT_3(word, by) \
    do {                        \
        (word) = (word) by 1;   \
        SELO_OPAQUE(word);      \
        (word) = (word) by 1;   \
        SELO_OPAQUE(word);      \
        (word) = (word) by 1;   \
    } while (0)
#define SPECK_TURN(y, x)                        \
    do {                                        \
        uint8_t from_lo_ = y##_lo.byte[3] >> 5; \
        uint8_t from_hi_ = y##_hi.byte[3] >> 5; \
        SPECK_SHIFT_3(y##_lo.word, <<);         \
        y##_lo.byte[0] |= from_hi_;             \
        y##_lo.word ^= x##_lo.word;             \
        SPECK_SHIFT_3(y##_hi.word, <<);         \
        y##_hi.byte[0] |= from_lo_;             \
        y##_hi.word ^= x##_hi.word;             \
        SELO_PAIR_OPAQUE(y);                    \
    } while (0)
#define SPECK_UNTURN(y, x)                         \
    do {                                           \
        uint8_t from_lo_, from_hi_;                \
        y##_lo.word ^= x##_lo.word;                \
        y##_hi.word ^= x##_hi.word;                \
        SELO_PAIR_OPAQUE(y);                       \
        from_lo_ = (uint8_t)(y##_lo.byte[0] << 5); \
        from_hi_ = (uint8_t)(y##_hi.byte[0] << 5); \
        SPECK_SHIFT_3(y##_lo.word, >>);            \
        y##_lo.byte[3] |= from_hi_;                \
        SPECK_SHIFT_3(y##_hi.word, >>);            \
        y##_hi.byte[3] |= from_lo_;                \
        SELO_PAIR_OPAQUE(y);                       \
    } while (0)

#else

static inline uint64_t speck_load(const uint8_t p[8])
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

static inline void speck_store(uint64_t x, uint8_t p[8])
{
#if SELO_WIDE
    memcpy(p, &x, 8); /* the CPU is little-endian (native/api.h) */
#else
    for (uint8_t i = 0; i < 8; i++) {
        p[i] = (uint8_t)(x >> 8 * i);
    }
#endif
}

#define SPECK_WORD(x) uint64_t x
#define SPECK_LOAD(x, p) ((x) = speck_load(p))
#define SPECK_STORE(x, p) speck_store(x, p)
#define SPECK_XOR_KEY(x, p) ((x) ^= speck_load(p))
#define SPECK_XOR_NUMBER(x, i) ((x) ^= (i))
#define SPECK_MIX(x, y) ((x) = selo_sum64((x) >> 8 | (x) << 56, (y)))
#define SPECK_UNMIX(x, y) ((x) = selo_difference64((x), (y)), (x) = (x) << 8 | (x) >> 56)
#define SPECK_TURN(y, x) ((y) = ((y) << 3 | (y) >> 61) ^ (x))
#define SPECK_UNTURN(y, x) ((y) ^= (x), (y) = (y) >> 3 | (y) << 61)

#endif

#endif
