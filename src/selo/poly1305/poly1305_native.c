/*
 * Poly1305 around a kernel with words of 32 bits [RFC8439, 2.5]: start and finish.
 *
 * The sum has five words, the fifth of which is at most 4, and the multiplier four. A kernel that
 * multiplies 16 by 16 bits has these in parts (SELO_POLY1305_PARTS): 14 bits and the rest, below
 * 1.25 2^14. The CPU is little-endian (native/api.h).
 */
#include <string.h>

#include "poly1305.h"

#if SELO_NATIVE_POLY1305 && !SELO_BYTEWISE

#if SELO_POLY1305_PARTS
static void put_parts(struct selo_poly1305 *mac, uint8_t place, uint32_t word)
{
    mac->lower[place] = (uint16_t)(word & 0x3fff);
    mac->upper[place] = (uint16_t)(word >> 14);
}
#endif

void selo_poly1305_start(struct selo_poly1305 *mac, const uint8_t key[32])
{
#if SELO_POLY1305_PARTS
    uint32_t multiplier[4];
#else
    uint32_t *const multiplier = mac->multiplier;
#endif

    memset(mac->sum, 0, sizeof mac->sum);
    memcpy(multiplier, key, 16);
    multiplier[0] &= 0x0fffffff;
    for (uint8_t i = 1; i < 4; i++) {
        multiplier[i] &= 0x0ffffffc;
    }
    memcpy(mac->pad, key + 16, 16);
#if SELO_POLY1305_PARTS
    for (uint8_t i = 0; i < 4; i++) {
        put_parts(mac, (uint8_t)(3 + i), multiplier[i]);
        if (i != 0) { /* 2^128 r = 5 r / 4 */
            mac->wrapped[i - 1] = multiplier[i] + (multiplier[i] >> 2);
            put_parts(mac, (uint8_t)(i - 1), mac->wrapped[i - 1]);
        }
    }
    selo_wipe(multiplier, sizeof multiplier);
#endif
}

/* sum = words + small, modulo 2^160. sum may be words. */
static void add_small(uint32_t sum[5], const uint32_t words[5], uint32_t small)
{
    uint64_t carry = small;

    for (uint8_t i = 0; i < 5; i++) {
        carry += words[i];
        sum[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

void selo_poly1305_finish(struct selo_poly1305 *mac, uint8_t tag[16])
{
    uint32_t *const h = mac->sum;
    uint32_t more[5], pad[4], reduced;
    uint64_t sum = 0;

    add_small(more, h, 5); /* h >= p = 2^130 - 5 if that reaches 2^130; it is below 2^131 */
    reduced = 0 - (more[4] >> 2);
    memcpy(pad, mac->pad, sizeof pad);
    for (uint8_t i = 0; i < 4; i++) {
        sum += (uint64_t)(h[i] ^ ((h[i] ^ more[i]) & reduced)) + pad[i];
        more[i] = (uint32_t)sum;
        sum >>= 32;
    }
    memcpy(tag, more, 16);
    selo_wipe(pad, sizeof pad);
    selo_wipe(more, sizeof more);
    selo_wipe(mac, sizeof *mac);
}

#endif
