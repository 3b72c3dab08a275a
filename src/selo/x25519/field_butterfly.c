/*
 * Sum and difference modulo 2^255 - 19 in one pass over both elements: three of
 * the four pairs that a ladder step adds or subtracts want both.
 */
#include "field.h"

/* The carry of a sum that may be negative. */
#define CARRY(sum) (int8_t)((uint16_t)(sum) >> 8)

void selo_field25519_butterfly_bytes(uint8_t a[32], uint8_t b[32])
{
    /* As in field_subtract.c: the first carry is -56 to 20, all others -1 to 2. */
    const uint16_t minus_top = (uint16_t)(511 + a[31] - b[31]);
    const uint8_t minus_excess = (uint8_t)((uint16_t)(minus_top - 1) >> 7);
    int16_t minus = (int16_t)(19 * minus_excess - 75);
    /* The same for a + b: the top is at most 510, the first carry 57, all others 0 to 2. */
    const uint16_t plus_top = (uint16_t)(a[31] + b[31]);
    uint16_t plus = (uint16_t)(19 * (uint8_t)(plus_top >> 7));

    for (uint8_t i = 0; i < 31; i++) {
        plus = (uint16_t)(plus + a[i] + b[i]);
        minus = (int16_t)(minus + a[i] + (uint8_t)~b[i]);
        a[i] = (uint8_t)plus;
        b[i] = (uint8_t)minus;
        plus >>= 8;
        minus = CARRY(minus);
    }
    a[31] = (uint8_t)((plus_top & 127) + plus);
    b[31] = (uint8_t)((uint8_t)minus_top - (uint8_t)(minus_excess << 7) + minus);
}
