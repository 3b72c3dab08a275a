/*
 * The base point times a scalar, with a table of its multiples: a signed comb on the
 * twisted Edwards form -x^2 + y^2 = 1 + d x^2 y^2 of Curve25519 [HWCD2008], whose
 * addition has no exceptions, then u = (1 + y) / (1 - y) [RFC7748, 4.1].
 *
 * A clamped scalar is 8 m. With Q = 8 B, where B is the base point [RFC8032, 5.1] of odd
 * order L, the result is m Q, and m may become m + L to be odd. An odd number below 2^255 is
 * a sum of +-2^i for i from 0 to 254: bit i of (m + 2^255 - 1) / 2 says which sign
 * [HEDABOU2005]. Five of them, 51 apart, are a column, one entry of the table or its
 * negative; 51 columns, each twice the one before. Or three and 85; or four and 64, of 256.
 */
#include <string.h>

#include "../../selo.h"
#include "x25519_base.h"

#if SELO_X25519_TABLE

#include "x25519_comb.inc"

/* 2^254, or 2^255 of 256 signs, + (M - 1) / 2 for the odd M that is m or m + L; scalar is
 * 8 m when clamped. */
static void recode(uint8_t signs[32], const uint8_t scalar[32])
{
    static const uint8_t order[16] SELO_FLASH = { /* L = 2^252 + this */
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
        0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14};
    uint16_t carry = 0;

    memcpy(signs, scalar, 32);
    signs[0] &= 0xf8;
    signs[31] = (uint8_t)((signs[31] & 0x7f) | 0x40);
    const uint8_t even = (uint8_t)((signs[0] >> 3 & 1) - 1);
    for (uint8_t i = 0; i < 32; i++) {
        /* m = scalar / 8 on the way. */
        const uint8_t above = i < 31 ? signs[i + 1] : 0;
        const uint8_t m = (uint8_t)(signs[i] >> 3 | (uint8_t)(above << 5));
        const uint8_t l = i < 16 ? selo_flash_u8(order + i) : i < 31 ? 0 : 0x10;
        carry = (uint16_t)(carry + m + (l & even));
        signs[i] = (uint8_t)carry;
        carry >>= 8;
    }
    for (uint8_t i = 0; i < 31; i++) {
        signs[i] = (uint8_t)(signs[i] >> 1 | (uint8_t)(signs[i + 1] << 7));
    }
    signs[31] = (uint8_t)(signs[31] >> 1 | 1 << (TEETH * COLUMNS - 1) % 8);
}

void selo_x25519_base(uint8_t out[32], const uint8_t scalar[32])
{
    struct comb c;

    recode(c.signs, scalar);
    /* The highest sign is always plus: the first column needs no addition. */
    choose(&c, COLUMNS - 1);
    memcpy(c.y, c.entry.sum, 32);
    memcpy(c.x, c.entry.difference, 32);
    selo_field25519_butterfly(c.y, c.x);
    memset(c.z, 0, 32);
    c.z[0] = 1;
    for (uint8_t column = COLUMNS - 1; column-- != 0;) {
        twice(&c, 1);
        add(&c, choose(&c, column), 0);
    }

    selo_field25519_butterfly(c.z, c.y);
    selo_field25519_invert(c.x, c.y, c.scratch);
    uint8_t *const result = SELO_FIELD25519_ALIGNMENT == 1 ? out : c.x;
    selo_field25519_multiply(result, c.x, c.z);
    selo_field25519_canonical(result);
    if (SELO_FIELD25519_ALIGNMENT != 1) {
        memcpy(out, result, 32);
    }

    selo_wipe(&c, sizeof c);
    selo_x25519_wipe_scratch();
}

#endif
