/*
 * a^(2^252 - 3) modulo p = 2^255 - 19, from which both a square root [RFC8032, 5.1.3] and an inverse
 * are computed. The exponent is in binary 250 ones, then 01.
 */
#include "../x25519/field_power.inc"
#include "ed25519.h"

void selo_ed25519_power(uint8_t r[32], const uint8_t a[32], uint8_t scratch[2][32])
{
    power_of_250_ones(r, a, scratch[0], scratch);
    square_times(r, r, 2);
    selo_field25519_multiply(r, r, a); /* 1{250} 01 */
}
