/*
 * Inversion modulo p = 2^255 - 19 as a^(p - 2), after Fermat. The exponent is
 * 2^255 - 21, in binary 250 ones, then 01011. The chain builds runs of ones by
 * doubling their length, 254 squarings and 11 multiplications, and does the same
 * for every a.
 */
#include "field.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_ARM
#define square_times selo_field25519_square_times_arm
#elif SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32
#define square_times selo_field25519_square_times_riscv32
#elif SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA
#define square_times selo_field25519_square_times_xtensa
#else

/* r = a^(2^times). */
static void square_times(uint8_t r[32], const uint8_t a[32], uint8_t times)
{
    selo_field25519_square(r, a);
    while (--times != 0) {
        selo_field25519_square(r, r);
    }
}

#endif

void selo_field25519_invert(uint8_t r[32], const uint8_t a[32], uint8_t scratch[3][32])
{
    uint8_t *const a11 = scratch[0], *const ones = scratch[1], *const more = scratch[2];

    /* Comments name the exponent; 1{n} is n ones in binary. */
    selo_field25519_square(ones, a);            /* 2 */
    square_times(r, ones, 2);                   /* 8 */
    selo_field25519_multiply(r, r, a);          /* 9 */
    selo_field25519_multiply(a11, r, ones);     /* 11 */
    selo_field25519_square(ones, a11);          /* 22 */
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
    square_times(r, r, 5);
    selo_field25519_multiply(r, r, a11);        /* 1{250} 01011 */
}
