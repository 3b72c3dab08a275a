/*
 * Poly1305 around a kernel with words of 32 bits [RFC8439, 2.5]: start and finish.
 *
 * The sum has five words, the fifth of which is at most 4, and the multiplier four. The CPU is
 * little-endian (native/api.h).
 */
#include <string.h>

#include "poly1305.h"

#if SELO_NATIVE_POLY1305 && !SELO_BYTEWISE

void selo_poly1305_start(struct selo_poly1305 *mac, const uint8_t key[32])
{
    memset(mac->sum, 0, sizeof mac->sum);
    memcpy(mac->multiplier, key, sizeof mac->multiplier);
    mac->multiplier[0] &= 0x0fffffff;
    for (uint8_t i = 1; i < 4; i++) {
        mac->multiplier[i] &= 0x0ffffffc;
    }
    memcpy(mac->pad, key + 16, 16);
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
