/*
 * A point times a secret scalar, in windows of four bits.
 *
 * The scalar, or n minus it, is an odd number: the sum of +-2^i for i from 0 to 255. Four signs make a digit,
 * an odd number from -15 to 15, so each window is four doublings and one addition, of a point's
 * odd multiple or its opposite.
 *
 * The addition has no case for equal or opposite points, nor for the neutral element. The sum before a
 * digit is 16 A P with a number A that is odd and below n / 16 + 1. It is the digit times P, or its
 * opposite, only if 16 A is n more or less than a digit. n is 1 modulo 16, so that is only 16 A = n - 1 with
 * the digit -1, the last one, for the scalar n - 2. Then Z becomes 0, and -2 P is chosen instead.
 */
#include <string.h>

#include "p256.h"

/* multiples[0] becomes the entry, and the others its odd multiples, with the coordinate Z of w->z. Each is
 * the one before plus 2 P, computed with one Z for all points [MELONI2007]: an addition also brings
 * the others to the Z of its result. */
static void multiply_entry(struct selo_p256_times *t)
{
    struct selo_p256_work *const w = &t->w;
    struct selo_p256_affine *const twice = &w->entry;

    selo_p256_begin(w);
    selo_p256_double(w);
    selo_p256_square(w->a, w->z);
    selo_p256_multiply(w->b, w->a, w->z);
    selo_p256_multiply(t->multiples[0].x, w->entry.x, w->a);
    selo_p256_multiply(t->multiples[0].y, w->entry.y, w->b);
    memcpy(twice->point, w->point, 64);
    for (uint8_t count = 1; count < 8; count++) {
        struct selo_p256_affine *const sum = &t->multiples[count], *const last = sum - 1;
        selo_p256_subtract(w->x, twice->x, last->x);
        selo_p256_subtract(w->y, twice->y, last->y);
        selo_p256_multiply(w->z, w->z, w->x);
        selo_p256_square(w->a, w->x);
        selo_p256_multiply(w->b, w->a, w->x);
        for (uint8_t i = 0; i < count; i++) {
            selo_p256_multiply(t->multiples[i].x, t->multiples[i].x, w->a);
            selo_p256_multiply(t->multiples[i].y, t->multiples[i].y, w->b);
        }
        selo_p256_multiply(twice->x, twice->x, w->a);
        selo_p256_multiply(twice->y, twice->y, w->b);
        selo_p256_square(sum->x, w->y);
        selo_p256_subtract(sum->x, sum->x, last->x);
        selo_p256_subtract(sum->x, sum->x, twice->x);
        selo_p256_subtract(w->c, last->x, sum->x);
        selo_p256_multiply(w->c, w->c, w->y);
        selo_p256_subtract(sum->y, w->c, last->y);
    }
}

/* The multiples in affine coordinates, y below p. */
static void normalise(struct selo_p256_times *t)
{
    struct selo_p256_work *const w = &t->w;

    selo_p256_invert(w->z, w->z, &w->division);
    selo_p256_square(w->a, w->z);
    selo_p256_multiply(w->b, w->a, w->z);
    for (uint8_t i = 0; i < 8; i++) {
        selo_p256_multiply(t->multiples[i].x, t->multiples[i].x, w->a);
        selo_p256_multiply(t->multiples[i].y, t->multiples[i].y, w->b);
        selo_p256_canonical(t->multiples[i].y);
    }
}

/* The entry = the digit of a window times the point. */
static void look_up(struct selo_p256_times *t, uint8_t window)
{
    const uint8_t four = (uint8_t)(t->w.signs[window >> 1] >> 4 * (window & 1)) & 15;
    const uint8_t minus = (uint8_t)((four >> 3) - 1);

    selo_p256_choose(&t->w.entry, t->multiples, (four ^ minus) & 7);
    selo_p256_negate_if(t->w.entry.y, minus);
}

void selo_p256_times(struct selo_p256_times *t)
{
    struct selo_p256_work *const w = &t->w;
    const uint8_t minus = selo_p256_signs(w->signs);

    w->signs[31] |= 0x80; /* the highest sign is plus */
    multiply_entry(t);
    normalise(t);
    look_up(t, 63);
    selo_p256_begin(w);
    for (uint8_t window = 63; window-- != 0;) {
        for (uint8_t i = 0; i < 4; i++) {
            selo_p256_double(w);
        }
        look_up(t, window);
        selo_p256_add_entry(w);
    }

    const uint8_t missing = (uint8_t)(0u - selo_p256_is_zero(w->z));
    uint8_t *const sum = t->points + 64; /* they are needed no more */
    memcpy(sum, w->point, 96);
    w->entry = t->multiples[0];
    selo_p256_begin(w);
    selo_p256_negate_if(w->y, 0xff);
    selo_p256_double(w);
    for (uint8_t i = 0; i < 96; i++) {
        w->point[i] = (uint8_t)((w->point[i] & missing) | (sum[i] & (uint8_t)~missing));
    }
    selo_p256_canonical(w->y);
    selo_p256_negate_if(w->y, minus);
}
