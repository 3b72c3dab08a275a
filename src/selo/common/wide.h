/*
 * Blocks in words. A loop over bytes would take longer than the cipher. The functions are correct
 * on every CPU, but slow on 8-bit ones, which do not call them.
 */
#ifndef SELO_COMMON_WIDE_H
#define SELO_COMMON_WIDE_H

#include <stdint.h>
#include <string.h>

#include "compiler.h"

/* out = a ^ b, 16 bytes. out may be a or b. */
#if SELO_STRICT_WORDS
/* Most buffers are aligned. Where they lie is no secret. */
static SELO_STACK_APART SELO_UNUSED void selo_xor_16(uint8_t *out, const uint8_t *a,
                                                     const uint8_t *b)
{
    if ((((uintptr_t)out | (uintptr_t)a | (uintptr_t)b) & 3) == 0) {
        selo_any_word *to = (selo_any_word *)(void *)out;
        const selo_any_word *x = (const selo_any_word *)(const void *)a;
        const selo_any_word *y = (const selo_any_word *)(const void *)b;
        to[0] = x[0] ^ y[0], to[1] = x[1] ^ y[1];
        to[2] = x[2] ^ y[2], to[3] = x[3] ^ y[3];
    } else {
        for (uint8_t i = 0; i < 16; i++) {
            out[i] = a[i] ^ b[i];
        }
    }
}
#else
SELO_INLINE void selo_xor_16(uint8_t out[16], const uint8_t a[16], const uint8_t b[16])
{
    uint64_t x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    x ^= y;
    memcpy(out, &x, sizeof x);
    memcpy(&x, a + 8, sizeof x);
    memcpy(&y, b + 8, sizeof y);
    x ^= y;
    memcpy(out + 8, &x, sizeof x);
}
#endif

/* Big-endian numbers. Compilers know the first forms as one instruction. */
SELO_INLINE uint32_t selo_load_be32(const uint8_t p[4])
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

SELO_INLINE void selo_store_be32(uint8_t p[4], uint32_t x)
{
#ifdef SELO_BIG_ENDIAN /* with -Os compilers do not know the other form */
    x = SELO_BIG_ENDIAN(x);
    memcpy(p, &x, sizeof x);
#else
    p[0] = (uint8_t)(x >> 24), p[1] = (uint8_t)(x >> 16), p[2] = (uint8_t)(x >> 8), p[3] = (uint8_t)x;
#endif
}

#if SELO_WIDE

SELO_INLINE uint64_t selo_load_be64(const uint8_t p[8])
{
    return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 | (uint64_t)p[2] << 40 |
           (uint64_t)p[3] << 32 | (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
           (uint64_t)p[6] << 8 | (uint64_t)p[7];
}

SELO_INLINE void selo_store_be64(uint8_t p[8], uint64_t x)
{
    p[0] = (uint8_t)(x >> 56), p[1] = (uint8_t)(x >> 48), p[2] = (uint8_t)(x >> 40);
    p[3] = (uint8_t)(x >> 32), p[4] = (uint8_t)(x >> 24), p[5] = (uint8_t)(x >> 16);
    p[6] = (uint8_t)(x >> 8), p[7] = (uint8_t)x;
}

#else

static inline uint64_t selo_load_be64(const uint8_t p[8])
{
    uint64_t x = 0;

    for (uint8_t i = 0; i < 8; i++) {
        x = x << 8 | p[i];
    }
    return x;
}

static inline void selo_store_be64(uint8_t p[8], uint64_t x)
{
    for (uint8_t i = 8; i-- != 0;) {
        p[i] = (uint8_t)x;
        x >>= 8;
    }
}

#endif

#endif
