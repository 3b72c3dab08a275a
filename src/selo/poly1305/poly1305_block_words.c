/*
 * The block step of Poly1305 in five words of 26 bits. The upper half of a product is added to the
 * lower end 5 times, because 2^130 = 5 modulo 2^130 - 5.
 */
#include "poly1305.h"

#if !SELO_BYTEWISE && !SELO_POLY1305_HALVES && !SELO_POLY1305_WIDE && !SELO_NATIVE_POLY1305

static inline uint32_t word(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t times(uint32_t a, uint32_t b)
{
    return (uint64_t)a * b;
}

void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17])
{
    const uint32_t *r = mac->multiplier;
    const uint32_t r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3], r4 = r[4];
    const uint32_t s1 = 5 * r1, s2 = 5 * r2, s3 = 5 * r3, s4 = 5 * r4;
    uint32_t *h = mac->sum;
    const uint32_t h0 = h[0] + (word(block) & 0x3ffffff);
    const uint32_t h1 = h[1] + (word(block + 3) >> 2 & 0x3ffffff);
    const uint32_t h2 = h[2] + (word(block + 6) >> 4 & 0x3ffffff);
    const uint32_t h3 = h[3] + (word(block + 9) >> 6);
    const uint32_t h4 = h[4] + (word(block + 12) >> 8) + ((uint32_t)block[16] << 24);
    uint64_t d;

    /* Five terms below 2^28 * 2^29 and a carry: far below 2^64. */
    d = times(h0, r0) + times(h1, s4) + times(h2, s3) + times(h3, s2) + times(h4, s1);
    h[0] = (uint32_t)d & 0x3ffffff;
    d = (d >> 26) + times(h0, r1) + times(h1, r0) + times(h2, s4) + times(h3, s3) + times(h4, s2);
    h[1] = (uint32_t)d & 0x3ffffff;
    d = (d >> 26) + times(h0, r2) + times(h1, r1) + times(h2, r0) + times(h3, s4) + times(h4, s3);
    h[2] = (uint32_t)d & 0x3ffffff;
    d = (d >> 26) + times(h0, r3) + times(h1, r2) + times(h2, r1) + times(h3, r0) + times(h4, s4);
    h[3] = (uint32_t)d & 0x3ffffff;
    d = (d >> 26) + times(h0, r4) + times(h1, r3) + times(h2, r2) + times(h3, r1) + times(h4, r0);
    h[4] = (uint32_t)d & 0x3ffffff;
    d = (d >> 26) * 5 + h[0];
    h[0] = (uint32_t)d & 0x3ffffff;
    h[1] += (uint32_t)(d >> 26);
}

#endif
