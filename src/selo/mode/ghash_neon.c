/*
 * The multiplication of GHASH [SP800-38D, 6.3] with the vectors of AArch64.
 *
 * In a block the coefficient of x^0 is the highest bit of byte 0. rbit turns the bits of each byte
 * around. After that a block is a polynomial in the order of its addresses, and so is a product.
 *
 * The vectors have products of bytes only, and some CPUs have instructions for products of 64 bits
 * (SELO_ARM_AES). Both forms end in the same reduction by x^128 = 1 + x + x^2 + x^7, which is 0x87.
 */
#include "ghash.h"

#if SELO_GHASH_WIDE && SELO_NEON

#include <arm_neon.h>

/* A product of two blocks: the coefficients from x^0 and those from x^128. */
struct product {
    uint8x16_t low, high;
};

SELO_INLINE uint8x16_t load(const uint8_t block[16])
{
    return vrbitq_u8(vld1q_u8(block));
}

/* Joins the three products of Karatsuba's method. `middle` is (a0 + a1) (b0 + b1). */
SELO_INLINE struct product join(uint8x16_t low, uint8x16_t middle, uint8x16_t high)
{
    const uint8x16_t zero = vdupq_n_u8(0);
    struct product p;

    middle = veorq_u8(middle, veorq_u8(low, high));
    p.low = veorq_u8(low, vextq_u8(zero, middle, 8));
    p.high = veorq_u8(high, vextq_u8(middle, zero, 8));
    return p;
}

SELO_INLINE uint8x16_t times_bytes(uint8x8_t a, uint8x8_t b)
{
    return vreinterpretq_u8_p16(vmull_p8(vreinterpret_p8_u8(a), vreinterpret_p8_u8(b)));
}

/* Adds the products a[i] b[j] where j is i + k modulo 8. Product i has 16 bits in place i of
 * `products`. It belongs at byte i + j: k bytes further up than it stands, or 8 - k bytes
 * further down where i + k is 8 or more. */
SELO_INLINE uint8x16_t place(uint8x16_t sum, uint8x16_t products, const uint8_t indices[2][16])
{
    sum = veorq_u8(sum, vqtbl1q_u8(products, vld1q_u8(indices[0])));
    return veorq_u8(sum, vqtbl1q_u8(products, vld1q_u8(indices[1])));
}

/* Entry k - 1: the indices for tbl, which gives 0 for an index above 15. */
#define NO 255
static const uint8_t places[4][2][16] = {
    {{NO, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, NO},
     {NO, NO, NO, NO, NO, NO, NO, 14, 15, NO, NO, NO, NO, NO, NO, NO}},
    {{NO, NO, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, NO, NO},
     {NO, NO, NO, NO, NO, NO, 12, 13, 14, 15, NO, NO, NO, NO, NO, NO}},
    {{NO, NO, NO, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, NO, NO, NO},
     {NO, NO, NO, NO, NO, 10, 11, 12, 13, 14, 15, NO, NO, NO, NO, NO}},
    {{NO, NO, NO, NO, 0, 1, 2, 3, 4, 5, 6, 7, NO, NO, NO, NO},
     {NO, NO, NO, NO, 8, 9, 10, 11, 12, 13, 14, 15, NO, NO, NO, NO}},
};

/* a[i + k] b[i] and a[i] b[i + k] belong at the same byte, so k up to 4 is enough. */
#define BOTH(k) veorq_u8(times_bytes(a, vext_u8(b, b, k)), times_bytes(vext_u8(a, a, k), b))

SELO_INLINE uint8x16_t times(uint8x8_t a, uint8x8_t b)
{
    uint8x16_t sum = times_bytes(a, b);

    sum = place(sum, BOTH(1), places[0]);
    sum = place(sum, BOTH(2), places[1]);
    sum = place(sum, BOTH(3), places[2]);
    return place(sum, times_bytes(a, vext_u8(b, b, 4)), places[3]);
}

void selo_ghash_multiply_neon(uint8_t product[16], const uint8_t key[16])
{
    const uint8x16_t a = load(product), b = load(key), zero = vdupq_n_u8(0);
    const uint8x8_t a0 = vget_low_u8(a), a1 = vget_high_u8(a);
    const uint8x8_t b0 = vget_low_u8(b), b1 = vget_high_u8(b);
    const uint8x8_t fold = vdup_n_u8(0x87);
    const struct product p =
        join(times(a0, b0), times(veor_u8(a0, a1), veor_u8(b0, b1)), times(a1, b1));

    /* Each byte from x^128 on, times 0x87, has a low byte in its own place and a high byte in the
     * next. The last high byte leaves the block and comes back. */
    const uint8x16_t first = times_bytes(vget_low_u8(p.high), fold);
    const uint8x16_t second = times_bytes(vget_high_u8(p.high), fold);
    const uint8x16_t lows = vuzp1q_u8(first, second), highs = vuzp2q_u8(first, second);
    const uint8x8_t left = vget_low_u8(vextq_u8(highs, zero, 15));
    uint8x16_t sum = veorq_u8(p.low, lows);

    sum = veorq_u8(sum, vextq_u8(zero, highs, 15));
    sum = veorq_u8(sum, times_bytes(left, fold));
    vst1q_u8(product, vrbitq_u8(sum));
}

#if SELO_ARM_AES

SELO_INLINE uint8x16_t times_words(uint64_t a, uint64_t b)
{
    return vreinterpretq_u8_p128(vmull_p64((poly64_t)a, (poly64_t)b));
}

void selo_ghash_multiply_arm(uint8_t product[16], const uint8_t key[16])
{
    const uint64x2_t a = vreinterpretq_u64_u8(load(product));
    const uint64x2_t b = vreinterpretq_u64_u8(load(key));
    const uint64_t a0 = vgetq_lane_u64(a, 0), a1 = vgetq_lane_u64(a, 1);
    const uint64_t b0 = vgetq_lane_u64(b, 0), b1 = vgetq_lane_u64(b, 1);
    const struct product p =
        join(times_words(a0, b0), times_words(a0 ^ a1, b0 ^ b1), times_words(a1, b1));
    const uint64x2_t high = vreinterpretq_u64_u8(p.high);
    const uint8x16_t zero = vdupq_n_u8(0);
    const uint8x16_t second = times_words(vgetq_lane_u64(high, 1), 0x87);
    uint8x16_t sum = veorq_u8(p.low, times_words(vgetq_lane_u64(high, 0), 0x87));

    sum = veorq_u8(sum, vextq_u8(zero, second, 8));
    sum = veorq_u8(sum, times_words(vgetq_lane_u64(vreinterpretq_u64_u8(second), 1), 0x87));
    vst1q_u8(product, vrbitq_u8(sum));
}

#endif

#endif
