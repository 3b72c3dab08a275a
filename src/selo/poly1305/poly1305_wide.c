/*
 * Poly1305 in words of 64 bits [RFC8439, 2.5], for CPUs that multiply them: a product has 128 bits,
 * and its high half costs one instruction (AArch64 umulh, x86-64 mul).
 *
 * The sum has three words, the third of which is at most 4. The multiplier has two words r0 and
 * r1, below 2^60 and with two zeros at the end of r1. 2^130 is 5 modulo p = 2^130 - 5, so
 * 2^128 r1 is 5 r1 / 4.
 */
#include <string.h>

#include "poly1305.h"

#if SELO_POLY1305_WIDE

struct sum {
    uint64_t h0, h1, h2;
};

static inline void load(uint64_t *words, const void *bytes, size_t size)
{
    memcpy(words, bytes, size); /* the CPU is little-endian (native/api.h) */
}

/* sum = (sum + block + 2^128 top) multiplier modulo p, below 2^130 + 2^64. */
static inline struct sum step(struct sum sum, const uint64_t r[2], const uint8_t block[16],
                              uint64_t top)
{
    const uint64_t r0 = r[0], r1 = r[1], s1 = r1 + (r1 >> 2);
    uint64_t m[2], h0, h1, h2;
    selo_wide_product d;

    load(m, block, 16);
    d = (selo_wide_product)sum.h0 + m[0];
    h0 = (uint64_t)d;
    d = (selo_wide_product)sum.h1 + m[1] + (uint64_t)(d >> 64);
    h1 = (uint64_t)d;
    h2 = sum.h2 + top + (uint64_t)(d >> 64);

    /* The factors are below 2^64 and 2^61: three products and a carry are below 2^128. h2 is at
     * most 6, so its product has 63 bits. */
    d = (selo_wide_product)h0 * r0 + (selo_wide_product)h1 * s1;
    sum.h0 = (uint64_t)d;
    d = (selo_wide_product)h0 * r1 + (selo_wide_product)h1 * r0 + h2 * s1 + (uint64_t)(d >> 64);
    sum.h1 = (uint64_t)d;
    h2 = h2 * r0 + (uint64_t)(d >> 64);
    sum.h2 = h2 & 3;

    /* What is above 2^130 comes back 5 times: h2 / 4 and the 4 times of it that h2 has. */
    d = (selo_wide_product)sum.h0 + (h2 >> 2) + (h2 & ~(uint64_t)3);
    sum.h0 = (uint64_t)d;
    d = (selo_wide_product)sum.h1 + (uint64_t)(d >> 64);
    sum.h1 = (uint64_t)d;
    sum.h2 += (uint64_t)(d >> 64);
    return sum;
}

void selo_poly1305_start(struct selo_poly1305 *mac, const uint8_t key[32])
{
    uint64_t r[2];

    memset(mac->sum, 0, sizeof mac->sum);
    load(r, key, sizeof r);
    r[0] &= 0x0ffffffc0fffffff;
    r[1] &= 0x0ffffffc0ffffffc;
    memcpy(mac->multiplier, r, sizeof r);
    memcpy(mac->pad, key + 16, 16);
}

static struct sum sum_of(const struct selo_poly1305 *mac)
{
    uint64_t h[3];

    load(h, mac->sum, sizeof h);
    return (struct sum){h[0], h[1], h[2]};
}

static void keep(struct selo_poly1305 *mac, struct sum sum)
{
    const uint64_t h[3] = {sum.h0, sum.h1, sum.h2};

    memcpy(mac->sum, h, sizeof h);
}

void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17])
{
    uint64_t r[2];

    load(r, mac->multiplier, sizeof r);
    keep(mac, step(sum_of(mac), r, block, block[16]));
}

void selo_poly1305_padded(struct selo_poly1305 *mac, const uint8_t *data, size_t size)
{
    struct sum sum = sum_of(mac);
    uint8_t last[16] = {0};
    uint64_t r[2];

    load(r, mac->multiplier, sizeof r);
    for (; size >= 16; size -= 16) {
        sum = step(sum, r, data, 1);
        data += 16;
    }
    if (size != 0) {
        memcpy(last, data, size);
        sum = step(sum, r, last, 1);
    }
    keep(mac, sum);
}

void selo_poly1305_finish(struct selo_poly1305 *mac, uint8_t tag[16])
{
    const struct sum sum = sum_of(mac);
    uint64_t pad[2], words[2], less, mask;
    selo_wide_product d;

    /* sum + 5 reaches 2^130 where the sum is p or more; its lower 128 bits are those of sum - p. */
    d = (selo_wide_product)sum.h0 + 5;
    words[0] = (uint64_t)d;
    d = (selo_wide_product)sum.h1 + (uint64_t)(d >> 64);
    words[1] = (uint64_t)d;
    less = (sum.h2 + (uint64_t)(d >> 64)) >> 2;
    mask = (uint64_t)0 - less;
    words[0] = (words[0] & mask) | (sum.h0 & ~mask);
    words[1] = (words[1] & mask) | (sum.h1 & ~mask);

    load(pad, mac->pad, sizeof pad);
    d = (selo_wide_product)words[0] + pad[0];
    words[0] = (uint64_t)d;
    words[1] += pad[1] + (uint64_t)(d >> 64);
    memcpy(tag, words, 16);
    selo_wipe(words, sizeof words);
    selo_wipe(mac, sizeof *mac);
}

#endif
