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
#include "../common/flash.h"
#include "field.h"
#include "x25519_base.h"

#if SELO_X25519_TABLE

enum { TEETH = SELO_X25519_TEETH, COLUMNS = SELO_X25519_COLUMNS, ENTRIES = SELO_X25519_ENTRIES };

struct comb {
    _Alignas(SELO_FIELD25519_ALIGNMENT) uint8_t x[32];
    uint8_t y[32], z[32], t[32]; /* a point, x = X / Z, y = Y / Z, T = X Y / Z */
    union {
        struct { uint8_t sum[32], difference[32], dxy[32]; } entry; /* as in the table */
        struct { uint8_t a[32], b[32]; };
        uint8_t scratch[3][32];
    };
    uint8_t signs[32];
};

/* The sum and the difference change places if mask is 0xff. */
static void swap(uint8_t a[32], uint8_t b[32], uint8_t mask)
{
    for (uint8_t i = 0; i < 32; i++) {
        const uint8_t change = (uint8_t)(mask & (a[i] ^ b[i]));
        a[i] ^= change;
        b[i] ^= change;
    }
}

static uint8_t bit(const uint8_t number[32], uint8_t place)
{
    return number[place >> 3] >> (place & 7) & 1;
}

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

/* The entry of a column; returns 0xff if it is to be taken away, else 0. */
static uint8_t choose(struct comb *c, uint8_t column)
{
    const uint8_t minus = (uint8_t)(bit(c->signs, (uint8_t)((TEETH - 1) * COLUMNS + column)) - 1);
    uint8_t index = 0;
    for (uint8_t tooth = TEETH - 1; tooth-- != 0;) {
        index = (uint8_t)(index << 1 | bit(c->signs, (uint8_t)(tooth * COLUMNS + column)));
    }
    selo_x25519_lookup((uint8_t *)&c->entry, (index ^ minus) & (ENTRIES - 1));
    return minus;
}

/* point += entry, or -= if minus is 0xff; leaves no T [HWCD2008, 3.1, all halved]. */
static void add(struct comb *c, uint8_t minus)
{
    swap(c->entry.sum, c->entry.difference, minus);
    selo_field25519_butterfly(c->y, c->x);                  /* Y + X, Y - X */
    selo_field25519_multiply(c->y, c->y, c->entry.sum);     /* B */
    selo_field25519_multiply(c->x, c->x, c->entry.difference); /* A */
    selo_field25519_multiply(c->t, c->t, c->entry.dxy);     /* C, or -C if minus */
    selo_field25519_butterfly(c->y, c->x);                  /* H, E */
    selo_field25519_butterfly(c->z, c->t);                  /* G, F, or F, G */
    swap(c->z, c->t, minus);
    selo_field25519_multiply(c->y, c->y, c->z);             /* G H */
    selo_field25519_multiply(c->x, c->x, c->t);             /* E F */
    selo_field25519_multiply(c->z, c->z, c->t);             /* F G */
}

/* point = 2 point [HWCD2008, 3.3], all four coordinates negated. */
static void twice(struct comb *c)
{
    selo_field25519_square(c->a, c->x);
    selo_field25519_square(c->b, c->y);
    selo_field25519_butterfly(c->y, c->x);          /* Y + X, and what is not needed */
    selo_field25519_square(c->x, c->y);
    selo_field25519_butterfly(c->b, c->a);          /* -H, G */
    selo_field25519_subtract(c->x, c->x, c->b);     /* E */
    selo_field25519_square(c->z, c->z);
    selo_field25519_subtract(c->t, c->a, c->z);
    selo_field25519_subtract(c->z, c->z, c->t);     /* -F = 2 Z^2 - G */
    selo_field25519_multiply(c->t, c->x, c->b);
    selo_field25519_multiply(c->y, c->a, c->b);
    selo_field25519_multiply(c->x, c->x, c->z);
    selo_field25519_multiply(c->z, c->z, c->a);
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
        twice(&c);
        add(&c, choose(&c, column));
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
