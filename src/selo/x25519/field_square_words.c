/*
 * Squaring modulo 2^255 - 19 in words of 32 bits: a multiplication. The 28 word
 * products that a squaring of its own would spare are cheap on such machines.
 */
#include "field.h"

void selo_field25519_square_words(uint8_t r[32], const uint8_t a[32])
{
    selo_field25519_multiply_words(r, a, a);
}
