/*
 * Inversion modulo p = 2^255 - 19 as a^(p - 2), after Fermat. The exponent is
 * 2^255 - 21, in binary 250 ones, then 01011: 254 squarings and 11 multiplications,
 * the same for every a.
 */
#if !SELO_X25519_DIVSTEPS
#include "field_power.inc"
#else
#include "field.h"
#endif

void selo_field25519_invert(uint8_t r[32], const uint8_t a[32], uint8_t scratch[3][32])
{
#if SELO_X25519_DIVSTEPS
    (void)scratch;
    selo_field25519_invert_divsteps(r, a);
#else
    power_of_250_ones(r, a, scratch[0], scratch + 1);
    square_times(r, r, 5);
    selo_field25519_multiply(r, r, scratch[0]); /* 1{250} 01011 */
#endif
}
