/*
 * Poly1305 [RFC8439, 2.5]. Internal to the library: a key must authenticate only one message.
 *
 * The accumulator has five forms: bytes, for 8-bit CPUs; words of 26 bits, for CPUs that multiply
 * 32 bits; words of 13 bits, where wider products or sums would branch (SELO_WIDE_PRODUCTS); words
 * of 64 bits, for CPUs that multiply those (SELO_POLY1305_WIDE); words of 32 bits, which only
 * kernels use, one of them with the multiplier in parts. A kernel may replace selo_poly1305_block in bytes too (native/api.h).
 */
#ifndef SELO_POLY1305_H
#define SELO_POLY1305_H

#include "../../selo.h"
#include "../native/api.h"
#include "../common/bytewise.h"

struct selo_poly1305 {
#if SELO_BYTEWISE
    uint8_t sum[17];        /* modulo 2^130 - 5, below 2^130 + 2^128 */
    uint8_t multiplier[16]; /* r, clamped */
#elif SELO_POLY1305_HALVES
    uint16_t sum[10];        /* 13 bits each; the second may exceed that by 1 */
    uint16_t multiplier[19]; /* 5 times each word of r except the first, then r */
#elif SELO_POLY1305_WIDE
    uint32_t sum[6], multiplier[4]; /* numbers of 64 bits, without their alignment */
#elif SELO_POLY1305_PARTS
    uint32_t sum[5];       /* below 2^130 + 2^128 */
    uint32_t wrapped[3];   /* s: 5 / 4 times r1, r2 and r3 */
    uint16_t lower[7];     /* 14 bits of s1, s2, s3, r0, r1, r2 and r3 */
    uint16_t upper[7];     /* and the other bits */
#elif SELO_NATIVE_POLY1305
    uint32_t sum[5]; /* below 2^130 + 2^128 */
    uint32_t multiplier[4];
#else
    uint32_t sum[5], multiplier[5]; /* 26 bits each; those of sum may exceed that by 2 */
#endif
    uint8_t pad[16]; /* s */
};

/* Splits the one-time key into r and s [RFC8439, 2.5]. */
void selo_poly1305_start(struct selo_poly1305 *mac, const uint8_t key[32]);

/* Adds `size` bytes, padded with zeros to a multiple of 16 [RFC8439, 2.8]. */
void selo_poly1305_padded(struct selo_poly1305 *mac, const uint8_t *data, size_t size);

/* Writes the tag and wipes the state. */
void selo_poly1305_finish(struct selo_poly1305 *mac, uint8_t tag[16]);

#endif
