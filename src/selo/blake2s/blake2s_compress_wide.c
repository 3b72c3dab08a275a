/*
 * The compression function F of BLAKE2s [RFC7693, 3.2] in vectors of four words: a vector is a row of
 * the working vector, so that four mixing functions run at once. For the diagonals the rows turn.
 */
#include <string.h>

#include "../common/vector.h"
#include "blake2s.h"

#if SELO_BLAKE2S_WIDE

typedef selo_u32x4 vector;

/* Half of four mixing functions G [RFC7693, 3.1], with four words of the message. */
#define FIRST_HALVES(i, j, k, l) \
    a += b + (vector){m[i], m[j], m[k], m[l]}; \
    d ^= a, d = SELO_ROTATE_4_16(d); \
    c += d; \
    b ^= c, b = SELO_ROTATE_4(b, 20)
#define SECOND_HALVES(i, j, k, l) \
    a += b + (vector){m[i], m[j], m[k], m[l]}; \
    d ^= a, d = SELO_ROTATE_4(d, 24); \
    c += d; \
    b ^= c, b = SELO_ROTATE_4(b, 25)

/* Columns, then diagonals; s0 to s15 are a permutation of [RFC7693, 2.7]. Row a stands still. */
#define ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
    FIRST_HALVES(s0, s2, s4, s6); \
    SECOND_HALVES(s1, s3, s5, s7); \
    b = selo_shuffle(b, b, 1, 2, 3, 0); \
    c = selo_shuffle(c, c, 2, 3, 0, 1); \
    d = selo_shuffle(d, d, 3, 0, 1, 2); \
    FIRST_HALVES(s8, s10, s12, s14); \
    SECOND_HALVES(s9, s11, s13, s15); \
    b = selo_shuffle(b, b, 3, 0, 1, 2); \
    c = selo_shuffle(c, c, 2, 3, 0, 1); \
    d = selo_shuffle(d, d, 1, 2, 3, 0)

void selo_blake2s_compress_wide(uint32_t state[8], const uint8_t block[64], uint32_t size,
                                uint32_t last)
{
    vector upper, lower, a, b, c, d;
    uint32_t m[16];

    memcpy(m, block, sizeof m); /* the CPU is little-endian (native/api.h) */
    memcpy(&upper, state, sizeof upper);
    memcpy(&lower, state + 4, sizeof lower);
    memcpy(&c, selo_blake2s_iv, sizeof c);
    memcpy(&d, selo_blake2s_iv + 4, sizeof d);
    a = upper;
    b = lower;
    d ^= (vector){size, 0, last, 0};
    ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
    ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4);
    ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8);
    ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13);
    ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9);
    ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11);
    ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10);
    ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5);
    ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0);
    upper ^= a ^ c;
    lower ^= b ^ d;
    memcpy(state, &upper, sizeof upper);
    memcpy(state + 4, &lower, sizeof lower);
    selo_wipe(m, sizeof m);
}

#endif
