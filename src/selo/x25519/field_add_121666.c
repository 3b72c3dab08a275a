/*
 * a + 121666 b modulo 2^255 - 19: the one multiplication by a constant of a
 * ladder step. 121666 is 66 + 219 * 256 + 65536, so byte i of the product takes
 * from bytes i, i - 1 and i - 2 of b.
 */
#include "field.h"

/* A byte of the product is below 255 (1 + 66 + 219 + 1) + carry < 2^17: 24 bits do. */
#ifdef __UINT24_MAX__
typedef __uint24 wide;
#else
typedef uint32_t wide;
#endif

void selo_field25519_add_121666(uint8_t a[32], const uint8_t b[32])
{
    uint8_t b1 = 0, b2 = 0;
    wide sum = 0;
    for (uint8_t i = 0; i < 32; i++) {
        const uint8_t b0 = b[i];
        sum += a[i];
        sum += (uint16_t)((uint16_t)66 * b0);
        sum += (uint16_t)((uint16_t)219 * b1);
        sum += b2;
        a[i] = (uint8_t)sum;
        sum >>= 8;
        b2 = b1;
        b1 = b0;
    }
    sum += (uint16_t)((uint16_t)219 * b1);
    sum += b2;
    sum += (wide)b1 << 8;

    /* The rest, counted in 2^256, is at most 121666; in 2^255, twice that and one. */
    wide carry = (sum << 1 | a[31] >> 7) * 19;
    a[31] &= 127;
    for (uint8_t i = 0; i < 32; i++) {
        carry += a[i];
        a[i] = (uint8_t)carry;
        carry >>= 8;
    }
}
