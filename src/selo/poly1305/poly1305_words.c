/* Poly1305 in five words of 26 bits [RFC8439, 2.5]: start and finish. */
#include <string.h>

#include "poly1305.h"

#if !SELO_BYTEWISE && !SELO_POLY1305_HALVES && !SELO_POLY1305_WIDE && !SELO_NATIVE_POLY1305

static uint32_t word(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void selo_poly1305_start(struct selo_poly1305 *mac, const uint8_t key[32])
{
    memset(mac->sum, 0, sizeof mac->sum);
    /* r, cut at bits 26, 52, ..., and clamped */
    mac->multiplier[0] = word(key) & 0x3ffffff;
    mac->multiplier[1] = word(key + 3) >> 2 & 0x3ffff03;
    mac->multiplier[2] = word(key + 6) >> 4 & 0x3ffc0ff;
    mac->multiplier[3] = word(key + 9) >> 6 & 0x3f03fff;
    mac->multiplier[4] = word(key + 12) >> 8 & 0x00fffff;
    memcpy(mac->pad, key + 16, 16);
}

void selo_poly1305_finish(struct selo_poly1305 *mac, uint8_t tag[16])
{
    uint32_t *h = mac->sum;
    uint32_t difference[5];
    uint32_t carry = 0, keep;
    uint64_t sum = 0;

    for (uint8_t i = 0; i < 5; i++) { /* propagate carries until every word has 26 bits */
        h[i] += carry;
        carry = h[i] >> 26;
        h[i] &= 0x3ffffff;
    }
    h[0] += 5 * carry;
    h[1] += h[0] >> 26; /* this word is small if there was a carry */
    h[0] &= 0x3ffffff;

    carry = 5; /* h - p = h + 5 - 2^130; if that is not negative, it is the remainder */
    for (uint8_t i = 0; i < 5; i++) {
        difference[i] = h[i] + carry;
        carry = difference[i] >> 26;
        difference[i] &= 0x3ffffff;
    }
    keep = carry - 1; /* all ones if h < p */
    for (uint8_t i = 0; i < 5; i++) {
        h[i] = (h[i] & keep) | (difference[i] & ~keep);
    }

    for (uint8_t i = 0; i < 4; i++) { /* 32 bits at a time, plus s, modulo 2^128 */
        uint32_t bits = h[i] >> 6 * i | h[i + 1] << (26 - 6 * i);
        sum += (uint64_t)bits + word(mac->pad + 4 * i);
        for (uint8_t j = 0; j < 4; j++) {
            *tag++ = (uint8_t)(sum >> 8 * j);
        }
        sum >>= 32;
    }
    selo_wipe(difference, sizeof difference);
    selo_wipe(mac, sizeof *mac);
}

#endif
