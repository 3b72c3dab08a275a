/*
 * Inversion modulo p = 2^255 - 19 with division steps [BERNSTEINYANG2019], for CPUs that multiply two
 * words of 32 bits to a third.
 *
 * A division step takes (f, g), where f is odd, to (f, g / 2), (f, (g + f) / 2) or (g, (g - f) / 2). From
 * f = p and g = a, 590 steps come to g = 0 and f = 1 or -1, whatever a is below p [SAFEGCDBOUNDS];
 * this runs 22 times 28 = 616. d and e follow modulo p, from 0 and 1: d a is f and e a is g, so that
 * at the end d or -d is 1 / a.
 *
 * 28 steps depend only on the lowest 28 bits. Their effect is a matrix (u, v; q, r) over 2^28 with
 * |u| + |v| and |q| + |r| at most 2^28, which then goes over the whole numbers. Numbers have ten limbs of
 * 28 bits, the highest with a sign. A limb times an entry is four products of halves of 14 bits, each at
 * most 2^28 in size, so sums of four of them fit in 32 bits. d and e are less than 12 p in size:
 * each time they become at most the larger of both plus p / 2.
 *
 * Time: the same for every a. No product is longer than 32 bits, which some CPUs make in a time that
 * depends on the factors.
 */
#include "../../selo.h"
#include "../common/compiler.h"
#include "field.h"

#if SELO_X25519_DIVSTEPS

enum { LIMBS = 10, BATCHES = 22, HALF = 0x3fff, LIMB = 0xfffffff, INVERSE_OF_19 = 141281819 };

struct matrix {
    int32_t u, v, q, r;
};

/* 14 division steps with a condition of one half [SAFEGCDBOUNDS]. low has the lowest words of f and g.
 * A row of the matrix is a word, u + 2^16 v, because sums, negatives and doubles keep that form. */
static int32_t half_batch(struct matrix *m, uint32_t low[2], int32_t zeta)
{
    uint32_t f = low[0], g = low[1], of_f = 1, of_g = 1u << 16;

    for (uint8_t i = 0; i < 14; i++) {
        const uint32_t odd = 0 - (g & 1);
        uint32_t swap = (uint32_t)(zeta >> 31);
        g += ((f ^ swap) - swap) & odd;
        of_g += ((of_f ^ swap) - swap) & odd;
        swap &= odd;
        zeta = (int32_t)((uint32_t)zeta ^ swap) - 1;
        f += g & swap;
        of_f += of_g & swap;
        g >>= 1;
        of_f <<= 1;
    }
    low[0] = f;
    low[1] = g;
    m->u = (int16_t)of_f;
    m->v = (int32_t)(of_f - (uint32_t)m->u) >> 16;
    m->q = (int16_t)of_g;
    m->r = (int32_t)(of_g - (uint32_t)m->q) >> 16;
    return zeta;
}

static int32_t batch(struct matrix *m, int32_t f, int32_t g, int32_t zeta)
{
    uint32_t low[2] = {(uint32_t)f, (uint32_t)g};
    struct matrix first, second;

    zeta = half_batch(&first, low, zeta);
    zeta = half_batch(&second, low, zeta);
    m->u = second.u * first.u + second.v * first.q;
    m->v = second.u * first.v + second.v * first.r;
    m->q = second.q * first.u + second.r * first.q;
    m->r = second.q * first.v + second.r * first.r;
    return zeta;
}

/* A limb of x a + y b, less what is carried: high and low are halves, and k of them is added to low and
 * middle. The sums are at most 2^30 in size, the carry is at most 2^29 + 2^17. */
struct sum {
    int32_t low, middle, high, carry;
};

SELO_INLINE void add_limb(struct sum *s, int32_t x, int32_t y, int32_t a, int32_t b)
{
    const int32_t x0 = x & HALF, x1 = x >> 14, y0 = y & HALF, y1 = y >> 14;
    const int32_t a0 = a & HALF, a1 = a >> 14, b0 = b & HALF, b1 = b >> 14;

    s->low = x0 * a0 + y0 * b0;
    s->middle = x1 * a0 + x0 * a1 + y1 * b0 + y0 * b1;
    s->high = x1 * a1 + y1 * b1;
}

SELO_INLINE void add_multiple(struct sum *s, int32_t factor, int32_t k)
{
    s->low += factor * (k & HALF);
    s->middle += factor * (k >> 14);
}

SELO_INLINE int32_t end_limb(struct sum *s)
{
    const int32_t all = s->low + ((s->middle & HALF) << 14) + s->carry;

    s->carry = (all >> 28) + (s->middle >> 14) + s->high;
    return all & LIMB;
}

/* The k from -2^27 to 2^27 - 1 for which the lowest limb plus k p is a multiple of 2^28. */
static inline int32_t multiple_of_p(const struct sum *s)
{
    const uint32_t low = (uint32_t)s->low + ((uint32_t)s->middle << 14);
    return (int32_t)((low * INVERSE_OF_19) << 4) >> 4;
}

/* (a, b) = (u a + v b, q a + r b) / 2^28, exactly; or, if is_residue is 1, modulo p. */
static SELO_STACK_APART void apply(int32_t a[LIMBS], int32_t b[LIMBS], const struct matrix *m,
                                   uint8_t is_residue)
{
    struct sum of_a, of_b;
    int32_t k_of_a = 0, k_of_b = 0;

    of_a.carry = 0;
    of_b.carry = 0;
    for (uint8_t i = 0; i < LIMBS; i++) {
        add_limb(&of_a, m->u, m->v, a[i], b[i]);
        add_limb(&of_b, m->q, m->r, a[i], b[i]);
        if (i == 0 && is_residue) {
            k_of_a = multiple_of_p(&of_a);
            k_of_b = multiple_of_p(&of_b);
            add_multiple(&of_a, -19, k_of_a);
            add_multiple(&of_b, -19, k_of_b);
        } else if (i == LIMBS - 1) { /* 2^255 is 8 of these limbs */
            add_multiple(&of_a, 8, k_of_a);
            add_multiple(&of_b, 8, k_of_b);
        }
        {
            const int32_t limb_of_a = end_limb(&of_a), limb_of_b = end_limb(&of_b);
            if (i != 0) { /* the lowest limb is 0 */
                a[i - 1] = limb_of_a;
                b[i - 1] = limb_of_b;
            }
        }
    }
    a[LIMBS - 1] = of_a.carry;
    b[LIMBS - 1] = of_b.carry;
}

/* Seven bytes have two limbs; the last four bytes have the last two. */
static void from_bytes(int32_t limbs[LIMBS], const uint8_t bytes[32])
{
    for (uint8_t i = 0; i < LIMBS; i = (uint8_t)(i + 2)) {
        const uint8_t left = (uint8_t)(i < 8 ? 7 : 4);
        uint32_t low = 0, high = 0;
        for (uint8_t j = 0; j < 4; j++) {
            low |= (uint32_t)bytes[j] << 8 * j;
            high |= j + 3 < left ? (uint32_t)bytes[j + 3] << 8 * j : 0;
        }
        limbs[i] = (int32_t)(low & LIMB);
        limbs[i + 1] = (int32_t)(high >> 4);
        bytes += left;
    }
}

static void to_bytes(uint8_t bytes[32], const int32_t limbs[LIMBS])
{
    for (uint8_t i = 0; i < LIMBS; i = (uint8_t)(i + 2)) {
        const uint32_t low = (uint32_t)limbs[i] | (uint32_t)limbs[i + 1] << 28;
        const uint32_t high = (uint32_t)limbs[i + 1] >> 4;
        for (uint8_t j = 0; j < 4; j++) {
            *bytes++ = (uint8_t)(low >> 8 * j);
        }
        for (uint8_t j = 0; j < 3 && i < 8; j++) {
            *bytes++ = (uint8_t)(high >> 8 * j);
        }
    }
}

static void carry_all(int32_t limbs[LIMBS])
{
    for (uint8_t i = 0; i < LIMBS - 1; i++) {
        limbs[i + 1] += limbs[i] >> 28;
        limbs[i] &= LIMB;
    }
}

/* r = d if f is 1, -d if f is -1. 32 p more is positive and below 2^261; what is above 2^255 comes in at
 * the bottom. */
static void finish(uint8_t r[32], int32_t d[LIMBS], int32_t top_of_f)
{
    const int32_t negative = top_of_f >> 31;

    for (uint8_t i = 0; i < LIMBS; i++) {
        d[i] = (d[i] ^ negative) - negative;
    }
    d[0] -= 32 * 19;
    d[LIMBS - 1] += 32 * 8;
    carry_all(d);
    d[0] += 19 * (d[LIMBS - 1] >> 3);
    d[LIMBS - 1] &= 7;
    carry_all(d);
    to_bytes(r, d);
}

void selo_field25519_invert_divsteps(uint8_t r[32], const uint8_t a[32])
{
    struct {
        int32_t f[LIMBS], g[LIMBS], d[LIMBS], e[LIMBS];
        struct matrix m;
    } work = {.f = {LIMB - 18, LIMB, LIMB, LIMB, LIMB, LIMB, LIMB, LIMB, LIMB, 7}, .e = {1}};
    int32_t zeta = -1;

    for (uint8_t i = 0; i < 32; i++) {
        r[i] = a[i];
    }
    selo_field25519_canonical(r);
    from_bytes(work.g, r);
    for (uint8_t i = 0; i < BATCHES; i++) {
        zeta = batch(&work.m, work.f[0], work.g[0], zeta);
        apply(work.f, work.g, &work.m, 0);
        apply(work.d, work.e, &work.m, 1);
    }
    finish(r, work.d, work.f[LIMBS - 1]);
    selo_wipe(&work, sizeof work);
}

#endif
