/*
 * Scalars of Ed25519: integers modulo L = 2^252 + c, the order of the base point [RFC8032, 5.1].
 *
 * 16 L is 2^256 + 16 c, so a number h 2^256 + l is l - 16 c h modulo L. A multiple of 16 L keeps it
 * positive. Three such folds bring 512 bits below 2^258; six conditional subtractions do the rest.
 */
#include <string.h>

#include "../common/flash.h"
#include "ed25519.h"

/* c and 16 c; the highest byte of L is 0x10. */
static const uint8_t low_order[16] SELO_FLASH = {
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14};
static const uint8_t sixteen_c[17] SELO_FLASH = {
    0xd0, 0x3e, 0x5d, 0xcf, 0xa5, 0x31, 0x26, 0x81, 0x65, 0xcd, 0x79, 0x2f, 0xea, 0x9d, 0xef, 0x4d, 0x01};

static inline uint8_t order(uint8_t i)
{
    return i < 16 ? selo_flash_u8(low_order + i) : i == 31 ? 0x10 : 0;
}

/* x, of 32 + highs bytes, becomes l + 2^(8 shift) 16 L - 16 c h, which has at most 33 + shift bytes.
 * The second term is not below the third: 2^(8 shift) is at least h / 2^127. */
static void fold(uint8_t *x, uint8_t highs, uint8_t shift)
{
    uint8_t h[32];
    int32_t carry = 0;

    memcpy(h, x + 32, highs);
    memset(x + 32, 0, highs);
    x[32 + shift] = 1;
    for (uint8_t i = 0; i < 33 + shift; i++) {
        const uint8_t first = i > 16 ? (uint8_t)(i - 16) : 0;
        int32_t sum = carry + x[i];
        if (i >= shift && i - shift < 17) {
            sum += selo_flash_u8(sixteen_c + i - shift);
        }
        for (uint8_t j = first; j < highs && j <= i; j++) {
            sum -= (uint16_t)(h[j] * (uint16_t)selo_flash_u8(sixteen_c + i - j));
        }
        x[i] = (uint8_t)sum;
        carry = (int32_t)((uint32_t)(sum + 0x1000000) >> 8) - 0x10000; /* sum is above -2^24 */
    }
    selo_wipe(h, sizeof h);
}

/* x -= 2^bits L if it is not below that; x has 33 bytes. */
static void subtract_if(uint8_t x[33], uint8_t bits)
{
    uint8_t less[33];
    uint16_t borrow = 0, before = 0;

    for (uint8_t i = 0; i < 33; i++) {
        const uint16_t byte = i < 32 ? order(i) : 0;
        const uint16_t part = (uint16_t)(byte << bits);
        const uint16_t difference =
            (uint16_t)((uint16_t)x[i] - (uint8_t)(part | before) - borrow);
        less[i] = (uint8_t)difference;
        borrow = difference >> 15;
        before = part >> 8;
    }
    const uint8_t keep = (uint8_t)(0u - borrow);
    for (uint8_t i = 0; i < 33; i++) {
        x[i] = (uint8_t)((x[i] & keep) | (less[i] & (uint8_t)~keep));
    }
    selo_wipe(less, sizeof less);
}

static void reduce(uint8_t r[32], uint8_t x[68])
{
    fold(x, 32, 17);
    fold(x, 18, 2);
    fold(x, 3, 0);
    for (uint8_t bits = 6; bits-- != 0;) {
        subtract_if(x, bits);
    }
    memcpy(r, x, 32);
}

void selo_ed25519_reduce(uint8_t r[32], const uint8_t x[64])
{
    uint8_t wide[68] = {0};

    memcpy(wide, x, 64);
    reduce(r, wide);
    selo_wipe(wide, sizeof wide);
}

void selo_ed25519_multiply_add(uint8_t r[32], const uint8_t a[32], const uint8_t b[32],
                               const uint8_t c[32])
{
    uint8_t wide[68] = {0};
    uint32_t sum = 0;

    for (uint8_t i = 0; i < 63; i++) {
        const uint8_t first = i > 31 ? (uint8_t)(i - 31) : 0;
        for (uint8_t j = first; j < 32 && j <= i; j++) {
            sum += (uint16_t)(a[j] * (uint16_t)b[i - j]);
        }
        if (i < 32) {
            sum += c[i];
        }
        wide[i] = (uint8_t)sum;
        sum >>= 8;
    }
    wide[63] = (uint8_t)sum;
    reduce(r, wide);
    selo_wipe(wide, sizeof wide);
}

void selo_ed25519_eighth(uint8_t r[32], const uint8_t a[32])
{
    /* 1 / 8 = (3 L + 1) / 8, because L is 5 modulo 8 */
    uint8_t inverse[32], zero[32] = {0};
    uint16_t sum = 1;

    for (uint8_t i = 0; i < 32; i++) {
        sum = (uint16_t)(sum + 3u * order(i));
        inverse[i] = (uint8_t)sum;
        sum >>= 8;
    }
    for (uint8_t i = 0; i < 32; i++) {
        const uint8_t above = i < 31 ? inverse[i + 1] : 0;
        inverse[i] = (uint8_t)(inverse[i] >> 3 | (uint8_t)(above << 5));
    }
    selo_ed25519_multiply_add(r, a, inverse, zero);
}

uint8_t selo_ed25519_is_scalar(const uint8_t a[32])
{
    uint16_t borrow = 0;

    for (uint8_t i = 0; i < 32; i++) {
        borrow = (uint16_t)((uint16_t)a[i] - order(i) - borrow) >> 15;
    }
    return (uint8_t)borrow;
}

void selo_ed25519_eight_orders(uint8_t r[32])
{
    uint8_t below = 0;

    for (uint8_t i = 0; i < 32; i++) {
        r[i] = (uint8_t)(order(i) << 3 | below);
        below = order(i) >> 5;
    }
}

void selo_ed25519_signs(uint8_t signs[32], const uint8_t m[32])
{
    const uint8_t even = (uint8_t)((m[0] & 1) - 1);
    uint16_t sum = 0;

    for (uint8_t i = 0; i < 32; i++) {
        sum = (uint16_t)(sum + m[i] + (order(i) & even));
        signs[i] = (uint8_t)sum;
        sum >>= 8;
    }
    for (uint8_t i = 0; i < 31; i++) {
        signs[i] = (uint8_t)(signs[i] >> 1 | (uint8_t)(signs[i + 1] << 7));
    }
    signs[31] >>= 1;
}
