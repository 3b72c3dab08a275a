/*
 * Division modulo an odd number in constant time, by Bernstein and Yang's division steps [BY2019], in
 * the variant whose count of steps begins at a half: 590 steps are enough for numbers of 256 bits.
 *
 * Seven steps at a time are computed on the lowest bytes of f and g. They are a matrix of small numbers, which
 * is then applied to the whole of f and g, and modulo the modulus to d and e:
 *
 *     f a = d factor,  g a = e factor   modulo the modulus,  at first f = modulus, d = 0, g = a, e = factor
 *
 * At last g is 0 and f is 1 or -1, so d or -d is the result. The first row of a matrix is even after a
 * step. Its half and the second row have numbers from -128 to 127, one byte each: a row's numbers are together at
 * most 128, and 128 alone would leave an even first row no inverse modulo 2.
 */
#include <string.h>

#include "../common/flash.h"
#include "p256.h"

enum { STEPS = 7, ROUNDS = 85, SIZE = 33 };

/* Of a matrix (selo_p256_transform). */
enum { U, V, MORE_FIRST, Q, R, MORE_SECOND };

/* Seven division steps. delta is one half more than the number in the paper. */
static int16_t divide_steps(int8_t m[6], int16_t delta, uint8_t f, uint8_t g)
{
    uint8_t u = 1, v = 0, q = 0, r = 1; /* modulo 256, which is enough */

    for (uint8_t step = 0; step < STEPS; step++) {
        /* all ones if delta is positive, and if g is odd */
        const uint8_t positive = (uint8_t)(0u - (unsigned)((uint16_t)(0u - (uint16_t)delta) >> 15));
        const uint8_t odd = (uint8_t)(0u - (g & 1u));
        const uint8_t swap = positive & odd;

        /* g -= f or g += f, if g is odd */
        g = (uint8_t)(g + (((f ^ positive) - positive) & odd));
        q = (uint8_t)(q + (((u ^ positive) - positive) & odd));
        r = (uint8_t)(r + (((v ^ positive) - positive) & odd));
        /* f = the old g, if delta is positive too */
        f = (uint8_t)(f + (g & swap));
        u = (uint8_t)(u + (q & swap));
        v = (uint8_t)(v + (r & swap));
        delta = (int16_t)((delta ^ -(int16_t)(swap & 1)) + 2 * (swap & 1) + 1); /* 2 - delta */
        g >>= 1;
        if (step != STEPS - 1) {
            u = (uint8_t)(u << 1);
            v = (uint8_t)(v << 1);
        }
    }
    m[U] = (int8_t)u;
    m[V] = (int8_t)v;
    m[Q] = (int8_t)q;
    m[R] = (int8_t)r;
    return delta;
}

/* A number of `bits` bits as one from -2^(bits - 1) on. */
static inline int8_t centred(uint8_t number, uint8_t bits)
{
    const uint8_t half = (uint8_t)(1 << (bits - 1));

    return (int8_t)((int16_t)((number + half) & (2 * half - 1)) - half);
}

/* (d, e) = the matrix times that modulo the modulus, divided by 2^6 and 2^7: the division is exact, because a
 * multiple of the modulus is added first. */
static void transform(uint8_t d[SIZE], uint8_t e[SIZE], int8_t m[6],
                      const struct selo_p256_modulus *modulus)
{
    const uint8_t inverse = selo_flash_u8(&modulus->inverse);
    const uint8_t low_d = (uint8_t)((uint8_t)m[U] * d[0] + (uint8_t)m[V] * e[0]);
    const uint8_t low_e = (uint8_t)((uint8_t)m[Q] * d[0] + (uint8_t)m[R] * e[0]);

    m[MORE_FIRST] = centred((uint8_t)(0u - (unsigned)low_d * inverse), STEPS - 1);
    m[MORE_SECOND] = centred((uint8_t)(0u - (unsigned)low_e * inverse), STEPS);
    selo_p256_transform(d, e, m, modulus->modulus);
}

/* x = x, or -x if mask is 0xff. */
static void negate_if(uint8_t x[SIZE], uint8_t mask)
{
    uint16_t carry = mask & 1;

    for (uint8_t i = 0; i < SIZE; i++) {
        carry = (uint16_t)(carry + (x[i] ^ mask));
        x[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

/* x += 2^bits modulus. */
static void add_multiple(uint8_t x[SIZE], const uint8_t *modulus, uint8_t bits)
{
    uint16_t carry = 0;

    for (uint8_t i = 0; i < SIZE; i++) {
        const uint16_t byte = i < 32 ? selo_flash_u8(modulus + i) : 0;
        carry = (uint16_t)(carry + x[i] + (uint16_t)(byte << bits));
        x[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

/* x -= 2^bits modulus, if x is not below it. */
static void subtract_multiple(uint8_t x[SIZE], const uint8_t *modulus, uint8_t bits,
                              uint8_t less[SIZE])
{
    uint16_t borrow = 0, before = 0;

    for (uint8_t i = 0; i < SIZE; i++) {
        const uint16_t part = (uint16_t)((i < 32 ? selo_flash_u8(modulus + i) : 0) << bits);
        const uint16_t difference = (uint16_t)((uint16_t)x[i] - (uint8_t)(part | before) - borrow);
        less[i] = (uint8_t)difference;
        borrow = difference >> 15;
        before = part >> 8;
    }
    const uint8_t keep = (uint8_t)(0u - borrow);
    for (uint8_t i = 0; i < SIZE; i++) {
        x[i] = (uint8_t)((x[i] & keep) | (less[i] & (uint8_t)~keep));
    }
}

void selo_p256_divide(uint8_t r[32], const uint8_t a[32], const struct selo_p256_modulus *modulus,
                      struct selo_p256_division *s)
{
    int16_t delta = 1;

    memset(s->g, 0, SIZE);
    memcpy(s->g, a, 32);
    memset(s->d, 0, SIZE);
    s->f[SIZE - 1] = s->e[SIZE - 1] = 0;
    for (uint8_t i = 0; i < 32; i++) {
        s->f[i] = selo_flash_u8(modulus->modulus + i);
        s->e[i] = selo_flash_u8(modulus->factor + i);
    }
    for (uint8_t round = 0; round < ROUNDS; round++) {
        delta = divide_steps(s->matrix, delta, s->f[0], s->g[0]);
        selo_p256_transform(s->f, s->g, s->matrix, NULL);
        transform(s->d, s->e, s->matrix, modulus);
    }
    /* Each round adds at most half of the modulus to d and e: they are below 44 times the modulus. */
    negate_if(s->d, (uint8_t)(0u - (s->f[SIZE - 1] >> 7)));
    add_multiple(s->d, modulus->modulus, 6);
    for (uint8_t bits = 7; bits-- != 0;) {
        subtract_multiple(s->d, modulus->modulus, bits, s->e);
    }
    memcpy(r, s->d, 32);
    selo_wipe(s, sizeof *s);
}
