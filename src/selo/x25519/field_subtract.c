/*
 * Subtraction modulo 2^255 - 19, in one pass, as a - b + 4 p.
 *
 * No second pass for the carry: what the top byte will have above bit 255 is
 * known but for one small carry, and goes in as the carry into the lowest byte,
 * 19 for each 2^255.
 */
#include "field.h"

/* The carry of a sum that may be negative. */
#define CARRY(sum) (int8_t)((uint16_t)(sum) >> 8)

void selo_field25519_subtract_bytes(uint8_t r[32], const uint8_t a[32], const uint8_t b[32])
{
    /*
     * 4 p = 2^257 - 76, and in the low 31 bytes -b = ~b + 1 - 2^248: the top byte
     * is 511 + a[31] - b[31], from 256 to 766. 2^255 is taken off it so often (1 to
     * 5 times) that 1 to 128 remain, never 0, because the carry may be -1. The
     * first carry is 1 - 76 + 19 (1 to 5), from -56 to 20; all others are -1 to 2.
     */
    const uint16_t top = (uint16_t)(511 + a[31] - b[31]);
    const uint8_t excess = (uint8_t)((uint16_t)(top - 1) >> 7);
    int16_t sum = (int16_t)(19 * excess - 75);

    for (uint8_t i = 0; i < 31; i++) {
        sum = (int16_t)(sum + a[i] + (uint8_t)~b[i]);
        r[i] = (uint8_t)sum;
        sum = CARRY(sum);
    }
    r[31] = (uint8_t)((uint8_t)top - (uint8_t)(excess << 7) + sum);
}
