/*
 * Points of P-256 in Jacobian coordinates. Doubling is that of Bernstein and Lange for a = -3, with three
 * products and five squares; addition of an affine point has eight products and three squares [HMV2004, 3.2.2].
 */
#include <string.h>

#include "p256.h"

void selo_p256_one(uint8_t r[32])
{
    /* 2^256 - p = 2^224 - 2^192 - 2^96 + 1 */
    memset(r, 0, 32);
    r[0] = 1;
    memset(r + 12, 0xff, 12);
    memset(r + 24, 0xff, 4);
    r[24] = 0xfe;
}

void selo_p256_begin(struct selo_p256_work *w)
{
    memcpy(w->point, w->entry.point, 64);
    selo_p256_one(w->z);
}

void selo_p256_double(struct selo_p256_work *w)
{
    selo_p256_square(w->a, w->z);            /* Z^2 */
    selo_p256_square(w->b, w->y);            /* Y^2 */
    selo_p256_add(w->z, w->z, w->y);
    selo_p256_square(w->z, w->z);
    selo_p256_subtract(w->z, w->z, w->a);
    selo_p256_subtract(w->z, w->z, w->b);    /* Z' = 2 Y Z */
    selo_p256_add(w->c, w->a, w->x);
    selo_p256_subtract(w->a, w->a, w->x);
    selo_p256_multiply(w->a, w->a, w->c);
    selo_p256_add_times(w->a, w->a, w->a, 2); /* -M, M = 3 (X^2 - Z^4) */
    selo_p256_multiply(w->x, w->x, w->b);    /* S = X Y^2 */
    selo_p256_square(w->b, w->b);            /* Y^4 */
    selo_p256_square(w->c, w->a);
    selo_p256_add_times(w->c, w->c, w->x, -8); /* X' = M^2 - 8 S */
    selo_p256_add_times(w->x, w->c, w->x, -4);
    selo_p256_multiply(w->y, w->x, w->a);
    selo_p256_add_times(w->y, w->y, w->b, -8); /* Y' = M (4 S - X') - 8 Y^4 */
    memcpy(w->x, w->c, 32);
}

void selo_p256_add_entry(struct selo_p256_work *w)
{
    selo_p256_square(w->a, w->z);
    selo_p256_multiply(w->b, w->a, w->z);
    selo_p256_multiply(w->a, w->a, w->entry.x);
    selo_p256_multiply(w->b, w->b, w->entry.y);
    selo_p256_subtract(w->a, w->a, w->x);    /* H = x2 Z^2 - X */
    selo_p256_subtract(w->b, w->b, w->y);    /* R = y2 Z^3 - Y */
    selo_p256_multiply(w->z, w->z, w->a);    /* Z' = Z H */
    selo_p256_square(w->c, w->a);
    selo_p256_multiply(w->a, w->a, w->c);    /* H^3 */
    selo_p256_multiply(w->c, w->c, w->x);    /* X H^2 */
    selo_p256_square(w->x, w->b);
    selo_p256_subtract(w->x, w->x, w->a);
    selo_p256_add_times(w->x, w->x, w->c, -2); /* X' = R^2 - H^3 - 2 X H^2 */
    selo_p256_subtract(w->c, w->c, w->x);
    selo_p256_multiply(w->c, w->c, w->b);
    selo_p256_multiply(w->y, w->y, w->a);
    selo_p256_subtract(w->y, w->c, w->y);    /* Y' = R (X H^2 - X') - Y H^3 */
}

void selo_p256_negate_if(uint8_t y[32], uint8_t mask)
{
    /* p - y = ~y + p + 1 modulo 2^256 */
    uint16_t carry = 0;

    for (uint8_t i = 0; i < 32; i++) {
        const uint8_t of_p = i > 27 ? 0xff : i == 12 || i == 24;
        carry = (uint16_t)(carry + (y[i] ^ mask) + (of_p & mask));
        y[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

void selo_p256_to_affine(struct selo_p256_work *w)
{
    selo_p256_invert(w->z, w->z, &w->division);
    selo_p256_square(w->b, w->z);
    selo_p256_multiply(w->x, w->x, w->b);
    selo_p256_multiply(w->b, w->b, w->z);
    selo_p256_multiply(w->y, w->y, w->b);
    selo_p256_canonical(w->x);
    selo_p256_canonical(w->y);
}
