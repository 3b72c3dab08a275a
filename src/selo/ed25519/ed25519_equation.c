/*
 * R = S B - k A, the equation of a signature [RFC8032, 5.1.7]. Nothing here is secret.
 *
 * The equation is multiplied by a number c of about 128 bits for which c k is as small modulo 8 L
 * [ABGLSV2005]: c S B - (c k) A - c R = 0. One chain of half the doublings serves the three products.
 * 8 L is a multiple of the order of every point, and c is odd and not a multiple of L, so the
 * multiplied equation holds exactly if the first one does, also for points with a part of small order.
 *
 * (c k) A and c R are sums of +-1 and +-3 times powers of two, of which any three neighbours have at
 * most one, found from the highest down [OSST2004]. c S B is the comb of x25519_base.c, whose columns
 * go with the last doublings.
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

/* A point as an entry of the comb, but not halved, and twice its Z. */
struct multiple {
    struct { uint8_t sum[32], difference[32], dxy[32]; } entry;
    uint8_t z2[32];
};

struct equation {
    struct comb c;
    struct multiple of_key[2]; /* A or -A times 1 and 3 */
    union {
        struct multiple of_r[2]; /* -R times 1 and 3 */
        struct { uint8_t u[32], v[32], v3[32], power[32], base[32], sum[32], scratch[2][32]; } root;
    };
    uint8_t d2[32]; /* 2 d */
    uint8_t key_factor[32], r_factor[32];
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

static void keep_multiples(struct multiple multiples[2], struct equation *e)
{
    keep(&multiples[0], e);
    twice(&e->c, 1);
    add_multiple(&e->c, &multiples[0], 0, 1);
    keep(&multiples[1], e);
}

static uint8_t bit_of(const uint8_t number[32], int16_t place)
{
    return place < 0 || place > 255 ? 0 : bit(number, (uint8_t)place);
}

/* The digits of a factor from the highest down. */
struct digits {
    const uint8_t *factor;
    int16_t next; /* the place to be read */
    int16_t at;   /* that of the digit found last */
    uint8_t size, minus;
};

/* The size of the digit of a place, 0, 1 or 3. Places come from 256 down, each once. Two neighbouring
 * bits that differ begin a digit: then the bits below each of three places, less the bits of those
 * places, are a number from -4 to 4. */
static uint8_t digit_of(struct digits *d, int16_t place)
{
    if (place == d->next) {
        const uint8_t high = bit_of(d->factor, place);
        const uint8_t rest = (uint8_t)(2 * bit_of(d->factor, (int16_t)(place - 1)) +
                                       bit_of(d->factor, (int16_t)(place - 2)) +
                                       bit_of(d->factor, (int16_t)(place - 3)));
        d->next--;
        if (high != bit_of(d->factor, (int16_t)(place - 1))) {
            d->minus = high ? 0xff : 0;
            d->size = high ? (uint8_t)(4 - rest) : rest;
            d->next = (int16_t)(place - 3);
            d->at = (int16_t)(place - 2);
            while ((d->size & 1) == 0) {
                d->size >>= 1;
                d->at++;
            }
        }
    }
    return place == d->at ? d->size : 0;
}

/* c's point = key_factor * of_key + r_factor * of_r + the comb of the signs. */
static void sum_up(struct equation *e)
{
    struct comb *c = &e->c;
    struct digits of_key = {e->key_factor, 256, -1, 0, 0}, of_r = {e->r_factor, 256, -1, 0, 0};
    uint8_t started = 0;

    memset(c->x, 0, 32);
    memset(c->t, 0, 32);
    set(c->y, 1);
    set(c->z, 1);
    for (int16_t place = 256; place >= 0; place--) {
        const uint8_t by_key = digit_of(&of_key, place), by_r = digit_of(&of_r, place);
        const uint8_t has_column = place < COLUMNS;
        if (started) {
            twice(c, by_key != 0 || by_r != 0 || has_column);
        }
        if (by_key != 0) {
            add_multiple(c, &e->of_key[by_key >> 1], of_key.minus, by_r != 0 || has_column);
        }
        if (by_r != 0) {
            add_multiple(c, &e->of_r[by_r >> 1], of_r.minus, has_column);
        }
        if (has_column) {
            add_entry(c, choose(c, (uint8_t)place), 0);
        }
        started = (uint8_t)(started | by_key | by_r | has_column);
    }
}

static void negate(struct comb *c)
{
    memset(c->a, 0, 32);
    selo_field25519_subtract(c->x, c->a, c->x);
    selo_field25519_subtract(c->t, c->a, c->t);
}

enum selo_status selo_ed25519_equation(const uint8_t r[32], const uint8_t s[32],
                                       const uint8_t public_key[32], const uint8_t k[32])
{
    struct equation e;
    uint8_t scalar[32] = {0}; /* c S / 8 */
    const uint8_t minus = selo_ed25519_halve(e.key_factor, e.r_factor, k);

    load(e.d2, twice_d);
    if (!decode_negative(&e, public_key) || is_of_small_order(&e.c)) {
        return SELO_ERROR_KEY;
    }
    if (minus) {
        negate(&e.c);
    }
    keep_multiples(e.of_key, &e);
    if (!decode_negative(&e, r)) {
        return SELO_ERROR_TAG;
    }
    keep_multiples(e.of_r, &e);
    selo_ed25519_multiply_add(scalar, s, e.r_factor, scalar);
    selo_ed25519_eighth(scalar, scalar);
    selo_ed25519_signs(e.c.signs, scalar);
    e.c.signs[31] = (uint8_t)(e.c.signs[31] | 1 << (TEETH * COLUMNS - 1) % 8);
    sum_up(&e);
    selo_field25519_subtract(e.c.y, e.c.y, e.c.z);
    return is_zero(e.c.x) & is_zero(e.c.y) ? SELO_OK : SELO_ERROR_TAG;
}
