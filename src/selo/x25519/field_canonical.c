/*
 * The one form of an element below p = 2^255 - 19.
 */
#include "field.h"

void selo_field25519_canonical(uint8_t a[32])
{
    /* Fold bit 255: the value is then below 2^255 + 19, less than 2 p. */
    uint16_t carry = (uint16_t)(19 * (uint8_t)(a[31] >> 7));
    a[31] &= 127;
    for (uint8_t i = 0; i < 32; i++) {
        carry = (uint16_t)(carry + a[i]);
        a[i] = (uint8_t)carry;
        carry >>= 8;
    }

    /* a >= p exactly if a + 19 reaches 2^255; then a - p is a + 19 without that bit. */
    uint8_t less[32];
    carry = 19;
    for (uint8_t i = 0; i < 32; i++) {
        carry = (uint16_t)(carry + a[i]);
        less[i] = (uint8_t)carry;
        carry >>= 8;
    }
    const uint8_t take = (uint8_t)-(less[31] >> 7);
    less[31] &= 127;
    for (uint8_t i = 0; i < 32; i++) {
        a[i] = (uint8_t)((a[i] & (uint8_t)~take) | (less[i] & take));
    }
}
