/*
 * 64-bit words on a CPU that moves and shifts one byte at a time.
 *
 * On such a CPU the compiler calls a helper for every 64-bit shift and addition, and keeps a
 * uint64_t in fixed registers. Two 32-bit halves with named bytes are faster. A rotation by 8n
 * renames bytes, or changes the address of a load. Only rotations by one bit remain.
 * SELO_PAIR(x) declares a word x as the two variables x_lo and x_hi. Bytes in memory are
 * little-endian.
 */
#ifndef SELO_COMMON_BYTEWISE_H
#define SELO_COMMON_BYTEWISE_H

#include <stdint.h>

#include "compiler.h"

union selo_half {
    uint32_t word;
    uint8_t byte[4];
};

#define SELO_PAIR(x) union selo_half x##_lo, x##_hi

/* x = the 8 bytes at p, rotated right by 8 * n bits: byte i comes from p[i + n mod 8]. */
#define SELO_PAIR_LOAD(x, p, n)           \
    (x##_lo.byte[0] = (p)[(0 + (n)) & 7], \
     x##_lo.byte[1] = (p)[(1 + (n)) & 7], \
     x##_lo.byte[2] = (p)[(2 + (n)) & 7], \
     x##_lo.byte[3] = (p)[(3 + (n)) & 7], \
     x##_hi.byte[0] = (p)[(4 + (n)) & 7], \
     x##_hi.byte[1] = (p)[(5 + (n)) & 7], \
     x##_hi.byte[2] = (p)[(6 + (n)) & 7], \
     x##_hi.byte[3] = (p)[(7 + (n)) & 7])

/* x ^= the 8 bytes at p, rotated in the same way. */
#define SELO_PAIR_XOR_LOAD(x, p, n)        \
    (x##_lo.byte[0] ^= (p)[(0 + (n)) & 7], \
     x##_lo.byte[1] ^= (p)[(1 + (n)) & 7], \
     x##_lo.byte[2] ^= (p)[(2 + (n)) & 7], \
     x##_lo.byte[3] ^= (p)[(3 + (n)) & 7], \
     x##_hi.byte[0] ^= (p)[(4 + (n)) & 7], \
     x##_hi.byte[1] ^= (p)[(5 + (n)) & 7], \
     x##_hi.byte[2] ^= (p)[(6 + (n)) & 7], \
     x##_hi.byte[3] ^= (p)[(7 + (n)) & 7])

#define SELO_PAIR_STORE(x, p)                                                 \
    ((p)[0] = x##_lo.byte[0], (p)[1] = x##_lo.byte[1], (p)[2] = x##_lo.byte[2], \
     (p)[3] = x##_lo.byte[3], (p)[4] = x##_hi.byte[0], (p)[5] = x##_hi.byte[1], \
     (p)[6] = x##_hi.byte[2], (p)[7] = x##_hi.byte[3])

#define SELO_PAIR_OPAQUE(x)        \
    do {                           \
        SELO_OPAQUE(x##_lo.word);  \
        SELO_OPAQUE(x##_hi.word);  \
    } while (0)

#define SELO_PAIR_XOR(x, y)           \
    do {                              \
        x##_lo.word ^= y##_lo.word;   \
        x##_hi.word ^= y##_hi.word;   \
    } while (0)

/* x = x rotated right or left by one bit. */
#define SELO_PAIR_ROR1(x)                                       \
    do {                                                        \
        uint8_t from_lo_ = (uint8_t)(x##_lo.byte[0] << 7);      \
        uint8_t from_hi_ = (uint8_t)(x##_hi.byte[0] << 7);      \
        x##_lo.word >>= 1;                                      \
        x##_hi.word >>= 1;                                      \
        x##_lo.byte[3] |= from_hi_;                             \
        x##_hi.byte[3] |= from_lo_;                             \
        SELO_PAIR_OPAQUE(x);                                    \
    } while (0)
#define SELO_PAIR_ROL1(x)                                       \
    do {                                                        \
        uint8_t from_lo_ = x##_lo.byte[3] >> 7;                 \
        uint8_t from_hi_ = x##_hi.byte[3] >> 7;                 \
        x##_lo.word <<= 1;                                      \
        x##_hi.word <<= 1;                                      \
        x##_lo.byte[0] |= from_hi_;                             \
        x##_hi.byte[0] |= from_lo_;                             \
        SELO_PAIR_OPAQUE(x);                                    \
    } while (0)

/* x += y. The carry out of the low half follows from the top bits of both terms and of the sum.
 * A comparison might become a branch. */
#define SELO_PAIR_ADD(x, y)                                              \
    do {                                                                 \
        uint8_t some_ = x##_lo.byte[3] | y##_lo.byte[3];                 \
        uint8_t both_ = x##_lo.byte[3] & y##_lo.byte[3];                 \
        x##_lo.word += y##_lo.word;                                      \
        some_ &= (uint8_t)~x##_lo.byte[3];                               \
        some_ |= both_;                                                  \
        some_ >>= 7;                                                     \
        x##_hi.word += y##_hi.word;                                      \
        x##_hi.word += some_;                                            \
    } while (0)

/* x -= y, in the same way. */
#define SELO_PAIR_SUBTRACT(x, y)                                         \
    do {                                                                 \
        uint8_t not_ = (uint8_t)~x##_lo.byte[3];                         \
        uint8_t some_ = not_ | y##_lo.byte[3];                           \
        uint8_t both_ = not_ & y##_lo.byte[3];                           \
        x##_lo.word -= y##_lo.word;                                      \
        some_ &= x##_lo.byte[3];                                         \
        some_ |= both_;                                                  \
        some_ >>= 7;                                                     \
        x##_hi.word -= y##_hi.word;                                      \
        x##_hi.word -= some_;                                            \
    } while (0)

#endif
