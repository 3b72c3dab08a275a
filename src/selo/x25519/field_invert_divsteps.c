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

#if SELO_X25519_WORDS

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

static inline void split(int32_t halves[2], int32_t entry)
{
    halves[0] = entry & HALF;
    halves[1] = entry >> 14;
}

/* The entries of the matrix of 28 steps in halves: u, v, q and r. */
static SELO_STACK_APART int32_t batch(int32_t halves[8], int32_t f, int32_t g, int32_t zeta)
{
    uint32_t low[2] = {(uint32_t)f, (uint32_t)g};
    struct matrix first, second;

    zeta = half_batch(&first, low, zeta);
    zeta = half_batch(&second, low, zeta);
    split(halves, second.u * first.u + second.v * first.q);
    split(halves + 2, second.u * first.v + second.v * first.r);
    split(halves + 4, second.q * first.u + second.r * first.q);
    split(halves + 6, second.q * first.v + second.r * first.r);
    return zeta;
}

/* Two numbers, lowest limb first. What is in front of it is for work. */
#define FIRST(pair) ((pair) + 1)
#define SECOND(pair) ((pair) + LIMBS + 2)

#if !(SELO_NATIVE_X25519 && SELO_BACKEND_THUMB1)

/* The limb of x a + y b whose limbs are given, and the carry. Sums of products are at most 2^30 in size,
 * the carry at most 2^29 + 2^17. h has the halves of x and y. */
SELO_INLINE int32_t limb_of(int32_t *carry, const int32_t h[4], int32_t a, int32_t b)
{
    const int32_t a0 = a & HALF, a1 = a >> 14, b0 = b & HALF, b1 = b >> 14;
    const int32_t middle = h[1] * a0 + h[0] * a1 + h[3] * b0 + h[2] * b1;
    const int32_t all = h[0] * a0 + h[2] * b0 + ((middle & HALF) << 14) + *carry;

    *carry = (all >> 28) + (middle >> 14) + h[1] * a1 + h[3] * b1;
    return all & LIMB;
}

SELO_STACK_APART void selo_field25519_apply(int32_t pair[2 * LIMBS + 2], const int32_t halves[8])
{
    int32_t carry_of_a = 0, carry_of_b = 0, *a = pair;

    for (uint8_t i = 0; i < LIMBS; i++, a++) {
        const int32_t x = a[1], y = a[LIMBS + 2];
        a[0] = limb_of(&carry_of_a, halves, x, y);
        a[LIMBS + 1] = limb_of(&carry_of_b, halves + 4, x, y);
    }
    a[0] = carry_of_a;
    a[LIMBS + 1] = carry_of_b;
}

#endif

/* The k from -2^27 to 2^27 - 1 for which x a + y b + k p is a multiple of 2^28. h has the halves of x
 * and y. */
static inline int32_t multiple_of_p(const int32_t h[4], int32_t a, int32_t b)
{
    const uint32_t x = (uint32_t)h[0] + ((uint32_t)h[1] << 14);
    const uint32_t y = (uint32_t)h[2] + ((uint32_t)h[3] << 14);
    const uint32_t low = x * (uint32_t)a + y * (uint32_t)b;
    return (int32_t)((low * INVERSE_OF_19) << 4) >> 4;
}

/* Adds k p / 2^28 to a number that was rounded down: -19 k at its bottom, of which that leaves the
 * quotient, at most 10 in size, and 8 k in limb 9, which is now limb 8. */
static void add_multiple(int32_t limbs[LIMBS], int32_t k)
{
    limbs[0] -= (19 * (k >> 14) + (19 * (k & HALF) >> 14)) >> 14;
    limbs[8] += (int32_t)((uint32_t)k << 3 & LIMB);
    limbs[9] += (k >> 25) + (limbs[8] >> 28);
    limbs[8] &= LIMB;
}

static void apply_to_residues(int32_t pair[2 * LIMBS + 2], const int32_t halves[8])
{
    const int32_t k = multiple_of_p(halves, FIRST(pair)[0], SECOND(pair)[0]);
    const int32_t l = multiple_of_p(halves + 4, FIRST(pair)[0], SECOND(pair)[0]);

    selo_field25519_apply(pair, halves);
    add_multiple(FIRST(pair), k);
    add_multiple(SECOND(pair), l);
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
        int32_t f_and_g[2 * LIMBS + 2], d_and_e[2 * LIMBS + 2], halves[8];
    } work = {.f_and_g = {0, LIMB - 18, LIMB, LIMB, LIMB, LIMB, LIMB, LIMB, LIMB, LIMB, 7}};
    int32_t *const f = FIRST(work.f_and_g), *const g = SECOND(work.f_and_g);
    int32_t zeta = -1;

    for (uint8_t i = 0; i < 32; i++) {
        r[i] = a[i];
    }
    selo_field25519_canonical(r);
    from_bytes(g, r);
    SECOND(work.d_and_e)[0] = 1;
    for (uint8_t i = 0; i < BATCHES; i++) {
        zeta = batch(work.halves, f[0], g[0], zeta);
        selo_field25519_apply(work.f_and_g, work.halves);
        apply_to_residues(work.d_and_e, work.halves);
    }
    finish(r, FIRST(work.d_and_e), f[LIMBS - 1]);
    selo_wipe(&work, sizeof work);
}

#endif
