/*
 * a^(2^252 - 3) modulo p = 2^255 - 19, from which both a square root [RFC8032, 5.1.3] and an inverse
 * are computed. The exponent is in binary 250 ones, then 01. The chain is that of x25519/field_invert.c.
 */
#include "../x25519/field.h"
#include "ed25519.h"

static void square_times(uint8_t r[32], const uint8_t a[32], uint8_t times)
{
    selo_field25519_square(r, a);
    while (--times != 0) {
        selo_field25519_square(r, r);
    }
}

void selo_ed25519_power(uint8_t r[32], const uint8_t a[32], uint8_t scratch[2][32])
{
    uint8_t *const ones = scratch[0], *const more = scratch[1];

    /* Comments name the exponent; 1{n} is n ones in binary. */
    selo_field25519_square(ones, a);            /* 2 */
    square_times(r, ones, 2);                   /* 8 */
    selo_field25519_multiply(r, r, a);          /* 9 */
    selo_field25519_multiply(ones, ones, r);    /* 11 */
    selo_field25519_square(ones, ones);         /* 22 */
    selo_field25519_multiply(ones, ones, r);    /* 1{5} */
    square_times(r, ones, 5);
    selo_field25519_multiply(ones, r, ones);    /* 1{10} */
    square_times(r, ones, 10);
    selo_field25519_multiply(more, r, ones);    /* 1{20} */
    square_times(r, more, 20);
    selo_field25519_multiply(r, r, more);       /* 1{40} */
    square_times(r, r, 10);
    selo_field25519_multiply(ones, r, ones);    /* 1{50} */
    square_times(r, ones, 50);
    selo_field25519_multiply(more, r, ones);    /* 1{100} */
    square_times(r, more, 100);
    selo_field25519_multiply(r, r, more);       /* 1{200} */
    square_times(r, r, 50);
    selo_field25519_multiply(r, r, ones);       /* 1{250} */
    square_times(r, r, 2);
    selo_field25519_multiply(r, r, a);          /* 1{250} 01 */
}
