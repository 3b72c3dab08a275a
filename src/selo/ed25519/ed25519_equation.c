/*
 * R = S B - k A, the equation of a signature [RFC8032, 5.1.7]. Nothing here is secret.
 *
 * One chain of doublings serves both products. k is a sum of +-1, +-3, +-5 and +-7 times powers of two,
 * of which any four neighbours have at most one [HMV2004, 3.3.1]. S B is the comb of x25519_base.c,
 * whose columns go with the last doublings.
 */
#include "../common/flash.h"
#include "../x25519/x25519_base.h"
#include "ed25519.h"

/* An entry of the table, read where it is: nothing is secret. */
static void look_up(uint8_t entry[96], uint8_t index)
{
    const uint8_t *from = selo_x25519_table + SELO_X25519_CHUNK * index;

    for (uint8_t chunk = 0; chunk < 96; chunk = (uint8_t)(chunk + SELO_X25519_CHUNK)) {
        for (uint8_t i = 0; i < SELO_X25519_CHUNK; i++) {
            *entry++ = selo_flash_u8(from + i);
        }
        from += SELO_X25519_CHUNK * SELO_X25519_ENTRIES;
    }
}

#define COMB_LOOKUP look_up
#include "../x25519/x25519_comb.inc"

#include "ed25519_point.inc"

/* A point as an entry of the comb, but not halved, and twice its Z. */
struct multiple {
    struct { uint8_t sum[32], difference[32], dxy[32]; } entry;
    uint8_t z2[32];
};

struct equation {
    struct comb c;
    union {
        struct multiple multiples[4]; /* -A times 1, 3, 5 and 7 */
        struct { uint8_t u[32], v[32], v3[32], power[32], base[32], sum[32], scratch[2][32]; } root;
    };
    uint8_t d2[32];      /* 2 d */
    uint8_t digits[128]; /* of k, in four bits each */
};

/* 2 d, and a square root of -1 [RFC8032, 5.1] */
static const uint8_t twice_d[32] SELO_FLASH = {
    0x59, 0xf1, 0xb2, 0x26, 0x94, 0x9b, 0xd6, 0xeb, 0x56, 0xb1, 0x83, 0x82, 0x9a, 0x14, 0xe0, 0x00,
    0x30, 0xd1, 0xf3, 0xee, 0xf2, 0x80, 0x8e, 0x19, 0xe7, 0xfc, 0xdf, 0x56, 0xdc, 0xd9, 0x06, 0x24};
static const uint8_t root_of_minus_1[32] SELO_FLASH = {
    0xb0, 0xa0, 0x0e, 0x4a, 0x27, 0x1b, 0xee, 0xc4, 0x78, 0xe4, 0x2f, 0xad, 0x06, 0x18, 0x43, 0x2f,
    0xa7, 0xd7, 0xfb, 0x3d, 0x99, 0x00, 0x4d, 0x2b, 0x0b, 0xdf, 0xc1, 0x4f, 0x80, 0x24, 0x83, 0x2b};

static void load(uint8_t r[32], const uint8_t *constant)
{
    for (uint8_t i = 0; i < 32; i++) {
        r[i] = selo_flash_u8(constant + i);
    }
}

static void set(uint8_t r[32], uint8_t number)
{
    memset(r, 0, 32);
    r[0] = number;
}

/* 1 if a is 0 modulo p, which is then what a becomes. */
static uint8_t is_zero(uint8_t a[32])
{
    uint8_t any = 0;

    selo_field25519_canonical(a);
    for (uint8_t i = 0; i < 32; i++) {
        any |= a[i];
    }
    return any == 0;
}

/* c->x with v x^2 = u, if there is one: then 1, else 0. x = u v^3 (u v^7)^((p - 5) / 8), or that
 * times the root of -1 [RFC8032, 5.1.3]. */
static uint8_t find_x(struct equation *e)
{
    uint8_t *const x = e->c.x, *const u = e->root.u, *const v = e->root.v, *const v3 = e->root.v3;

    selo_field25519_square(v3, v);
    selo_field25519_multiply(v3, v3, v);
    selo_field25519_square(e->root.base, v3);
    selo_field25519_multiply(e->root.base, e->root.base, v);
    selo_field25519_multiply(e->root.base, e->root.base, u);
    selo_ed25519_power(e->root.power, e->root.base, e->root.scratch);
    selo_field25519_multiply(x, u, v3);
    selo_field25519_multiply(x, x, e->root.power);
    selo_field25519_square(e->root.base, x);
    selo_field25519_multiply(e->root.base, e->root.base, v); /* u or -u */
    memcpy(e->root.sum, e->root.base, 32);
    memcpy(v3, u, 32);
    selo_field25519_butterfly(e->root.sum, v3);
    if (is_zero(v3)) {
        return 1;
    }
    load(v3, root_of_minus_1);
    selo_field25519_multiply(x, x, v3);
    return is_zero(e->root.sum);
}

/* The point -A: x, y, z and t of c. Returns 0 if the bytes encode no point [RFC8032, 5.1.3]. */
static uint8_t decode_negative(struct equation *e, const uint8_t bytes[32])
{
    struct comb *c = &e->c;
    const uint8_t sign = bytes[31] >> 7;

    memcpy(c->y, bytes, 32);
    c->y[31] &= 127;
    memcpy(c->x, c->y, 32);
    selo_field25519_canonical(c->x);
    if (!selo_equal(c->x, c->y, 32)) {
        return 0;
    }
    set(c->z, 1);
    selo_field25519_square(c->t, c->y);
    selo_field25519_multiply(e->root.v, c->t, e->d2);
    selo_field25519_subtract(e->root.u, c->t, c->z);
    memcpy(c->t, e->root.u, 32);
    selo_field25519_butterfly(e->root.u, c->t); /* 2 y^2 - 2 */
    set(c->t, 2);
    selo_field25519_butterfly(e->root.v, c->t); /* 2 d y^2 + 2 */
    if (!find_x(e)) {
        return 0;
    }
    memcpy(c->t, c->x, 32);
    if (is_zero(c->t) && sign) {
        return 0;
    }
    if ((c->t[0] & 1) == sign) {
        set(e->root.u, 0);
        selo_field25519_subtract(c->x, e->root.u, c->x);
    }
    selo_field25519_multiply(c->t, c->x, c->y);
    return 1;
}

/* 1 if c's point has an order of 1, 2, 4 or 8: x is 0, or y, or that of twice the point, whose
 * numerator is x^2 + y^2 [HWCD2008, 3.3]. z is 1. Uses a and b. */
static uint8_t is_of_small_order(struct comb *c)
{
    selo_field25519_square(c->a, c->x);
    selo_field25519_square(c->b, c->y);
    selo_field25519_butterfly(c->a, c->b);
    memcpy(c->b, c->t, 32); /* x y */
    return is_zero(c->a) | is_zero(c->b);
}

static void keep(struct multiple *m, struct equation *e)
{
    struct comb *c = &e->c;

    memcpy(m->entry.sum, c->y, 32);
    memcpy(m->entry.difference, c->x, 32);
    selo_field25519_butterfly(m->entry.sum, m->entry.difference);
    selo_field25519_multiply(m->entry.dxy, c->t, e->d2);
    memcpy(m->z2, c->z, 32);
    memcpy(c->a, c->z, 32);
    selo_field25519_butterfly(m->z2, c->a);
}

/* Apart, so that there is one copy of it. */
static SELO_STACK_APART void add_entry(struct comb *c, uint8_t minus, uint8_t with_t)
{
    add(c, minus, with_t);
}

static void add_multiple(struct comb *c, const struct multiple *m, uint8_t minus, uint8_t with_t)
{
    selo_field25519_multiply(c->z, c->z, m->z2);
    memcpy(&c->entry, &m->entry, sizeof c->entry);
    add_entry(c, minus, with_t);
}

/* 1, 3, 5 and 7 times c's point. */
static void make_multiples(struct equation *e)
{
    keep(&e->multiples[0], e);
    twice(&e->c, 1);
    keep(&e->multiples[3], e); /* 2, until it is 7 */
    for (uint8_t i = 0; i < 3; i++) {
        add_multiple(&e->c, &e->multiples[i == 0 ? 0 : 3], 0, 1);
        keep(&e->multiples[i + 1], e);
    }
}

/* The digits of k from the lowest on: an odd rest takes four bits, and lends one if it is above 8. */
static void recode(uint8_t digits[128], const uint8_t k[32])
{
    uint8_t carry = 0;

    memset(digits, 0, 128);
    for (uint16_t place = 0; place < 256;) {
        const uint8_t at = (uint8_t)(place >> 3);
        const uint16_t two = (uint16_t)(k[at] | (at < 31 ? k[at + 1] : 0) << 8);
        const uint8_t window = (uint8_t)((two >> (place & 7) & 15) + carry);
        if ((window & 1) == 0) {
            place++; /* the carry goes on: it meets a bit like itself */
            continue;
        }
        carry = window >> 3 & 1;
        digits[place >> 1] = (uint8_t)(digits[place >> 1] | window << 4 * (place & 1));
        place = (uint16_t)(place + 4);
    }
}

/* c's point = S B - k A, from the signs of S and the digits of k. */
static void sum_up(struct equation *e)
{
    struct comb *c = &e->c;
    uint8_t started = 0;

    memset(c->x, 0, 32);
    memset(c->t, 0, 32);
    set(c->y, 1);
    set(c->z, 1);
    for (uint16_t place = 256; place-- != 0;) {
        const uint8_t digit = e->digits[place >> 1] >> 4 * (place & 1) & 15;
        const uint8_t has_column = place < COLUMNS;
        if (started) {
            twice(c, digit != 0 || has_column);
        }
        if (digit != 0) {
            const uint8_t size = (uint8_t)(digit & 8 ? 16 - digit : digit);
            add_multiple(c, &e->multiples[size >> 1], digit & 8 ? 0xff : 0, has_column);
        }
        if (has_column) {
            add_entry(c, choose(c, (uint8_t)place), 0);
        }
        started = (uint8_t)(started | digit | has_column);
    }
}

enum selo_status selo_ed25519_equation(const uint8_t r[32], const uint8_t s[32],
                                       const uint8_t public_key[32], const uint8_t k[32])
{
    struct equation e;
    uint8_t scalar[32]; /* S / 8, then the encoding of the sum */

    load(e.d2, twice_d);
    if (!decode_negative(&e, public_key) || is_of_small_order(&e.c)) {
        return SELO_ERROR_KEY;
    }
    make_multiples(&e);
    recode(e.digits, k);
    selo_ed25519_eighth(scalar, s);
    selo_ed25519_signs(e.c.signs, scalar);
    e.c.signs[31] = (uint8_t)(e.c.signs[31] | 1 << (TEETH * COLUMNS - 1) % 8);
    sum_up(&e);
    encode(scalar, &e.c);
    return selo_equal(scalar, r, 32) ? SELO_OK : SELO_ERROR_TAG;
}
