/*
 * Poly1305 in ten words of 13 bits [RFC8439, 2.5], for CPUs whose compiler makes branches of 64-bit
 * products or sums. Every product is of 16 by 16 bits, and every sum has 32 bits.
 */
#include <string.h>

#include "poly1305.h"

#if SELO_POLY1305_HALVES

enum { WORDS = 10, BITS = 13, MASK = (1 << BITS) - 1 };

static inline uint32_t load(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The lower 130 bits of a little-endian number. */
static void split(uint16_t words[WORDS], const uint8_t bytes[17])
{
    const uint32_t a = load(bytes), b = load(bytes + 4), c = load(bytes + 8), d = load(bytes + 12);

    words[0] = (uint16_t)(a & MASK);
    words[1] = (uint16_t)(a >> 13 & MASK);
    words[2] = (uint16_t)((a >> 26 | b << 6) & MASK);
    words[3] = (uint16_t)(b >> 7 & MASK);
    words[4] = (uint16_t)((b >> 20 | c << 12) & MASK);
    words[5] = (uint16_t)(c >> 1 & MASK);
    words[6] = (uint16_t)(c >> 14 & MASK);
    words[7] = (uint16_t)((c >> 27 | d << 5) & MASK);
    words[8] = (uint16_t)(d >> 8 & MASK);
    words[9] = (uint16_t)((d >> 21 | (uint32_t)bytes[16] << 11) & MASK);
}

void selo_poly1305_start(struct selo_poly1305 *mac, const uint8_t key[32])
{
    uint16_t *r = mac->multiplier + WORDS - 1;
    uint8_t clamped[17];

    memset(mac->sum, 0, sizeof mac->sum);
    memcpy(clamped, key, 16);
    clamped[16] = 0;
    for (uint8_t i = 3; i < 16; i = (uint8_t)(i + 4)) {
        clamped[i] &= 0x0f;
    }
    for (uint8_t i = 4; i < 16; i = (uint8_t)(i + 4)) {
        clamped[i] &= 0xfc;
    }
    split(r, clamped);
    for (uint8_t i = 1; i < WORDS; i++) { /* 2^130 = 5 */
        mac->multiplier[i - 1] = (uint16_t)(5 * r[i]);
    }
    memcpy(mac->pad, key + 16, 16);
    selo_wipe(clamped, sizeof clamped);
}

#if !SELO_NATIVE_POLY1305_HALVES
void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17])
{
    uint16_t h[WORDS], *sum = mac->sum;
    uint32_t carry = 0;

    split(h, block);
    for (uint8_t i = 0; i < WORDS; i++) {
        carry += (uint32_t)h[i] + sum[i];
        h[i] = (uint16_t)(carry & MASK);
        carry >>= BITS;
    }
    h[WORDS - 1] = (uint16_t)(h[WORDS - 1] + (carry << BITS));

    /* Nine words below 2^13 and one below 2^13 + 2^12 + 2, each times at most 5 (2^13 - 1), and a
     * carry below 2^19: the sum is below 2^32. */
    carry = 0;
    for (uint8_t i = 0; i < WORDS; i++) {
        const uint16_t *r = mac->multiplier + i;
        carry += (uint32_t)h[0] * r[9] + (uint32_t)h[1] * r[8] + (uint32_t)h[2] * r[7] +
                 (uint32_t)h[3] * r[6] + (uint32_t)h[4] * r[5] + (uint32_t)h[5] * r[4] +
                 (uint32_t)h[6] * r[3] + (uint32_t)h[7] * r[2] + (uint32_t)h[8] * r[1] +
                 (uint32_t)h[9] * r[0];
        sum[i] = (uint16_t)(carry & MASK);
        carry >>= BITS;
    }
    carry = 5 * carry + sum[0];
    sum[0] = (uint16_t)(carry & MASK);
    sum[1] = (uint16_t)(sum[1] + (carry >> BITS)); /* by less than 2^9 */
}
#endif

void selo_poly1305_finish(struct selo_poly1305 *mac, uint8_t tag[16])
{
    uint16_t *h = mac->sum, difference[WORDS], keep;
    uint32_t carry = 0, bits = 0;
    uint8_t have = 0;

    for (uint8_t i = 0; i < WORDS; i++) { /* propagate carries until every word has 13 bits */
        carry += h[i];
        h[i] = (uint16_t)(carry & MASK);
        carry >>= BITS;
    }
    carry = 5 * carry + h[0];
    h[0] = (uint16_t)(carry & MASK);
    h[1] = (uint16_t)(h[1] + (carry >> BITS)); /* this word is small if there was a carry */

    carry = 5; /* h - p = h + 5 - 2^130; if that is not negative, it is the remainder */
    for (uint8_t i = 0; i < WORDS; i++) {
        carry += h[i];
        difference[i] = (uint16_t)(carry & MASK);
        carry >>= BITS;
    }
    keep = (uint16_t)(carry - 1); /* all ones if h < p */
    for (uint8_t i = 0; i < WORDS; i++) {
        h[i] = (uint16_t)((h[i] & keep) | (difference[i] & (uint16_t)~keep));
    }

    carry = 0;
    for (uint8_t i = 0; i < 16; i++) { /* bytes, plus s, modulo 2^128 */
        if (have < 8) {
            bits |= (uint32_t)*h++ << have;
            have = (uint8_t)(have + BITS);
        }
        carry += (bits & 0xff) + mac->pad[i];
        tag[i] = (uint8_t)carry;
        carry >>= 8;
        bits >>= 8;
        have = (uint8_t)(have - 8);
    }
    selo_wipe(difference, sizeof difference);
    selo_wipe(mac, sizeof *mac);
}

#endif
