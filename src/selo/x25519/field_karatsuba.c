/*
 * The additions of a Karatsuba step, for halves of 8 and of 16 bytes; the
 * identity stands in field_product.h. Unrolled, because a load with a constant
 * offset is what an 8-bit machine does well and three running pointers are not.
 * Sums are signed 16-bit so that the compiler keeps their order.
 */
#include "field_product.h"

#define EACH_8(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7)
#define EACH_16(x) EACH_8(x) x(8) x(9) x(10) x(11) x(12) x(13) x(14) x(15)

/* The carry of a sum, which is not negative and below 2^15. */
#define CARRY(sum) (int16_t)((uint16_t)(sum) >> 8)

/* d = a0 - a1 mod 256^n, as a0 + ~a1 + 1: the carry out is 1 if nothing was borrowed. */
#define HALVES_BYTE(n, i) \
    sum = (int16_t)(CARRY(sum) + a[i] + (uint8_t)~a[n + i]); \
    d[i] = (uint8_t)sum;

/*
 * With D = a0 - a1 = d - [D < 0] X and E likewise,
 *
 *   D E = d e - [D < 0] e X - [E < 0] d X + [D < 0][E < 0] X^2
 *
 * so the middle term a0 b0 + a1 b1 - D E is a sum of n-byte pieces, where
 * -(d e) is ~(d e) + 1 - X^2. It is not negative and below 2 X^2. A byte of it
 * adds at most six bytes and a carry below 6. Its low half waits in middle,
 * because r[n..2n) is still needed.
 */
#define COMBINE_LOW_BYTE(n, i) \
    sum = (int16_t)(CARRY(sum) + (uint8_t)~work->middle[i] \
                    + r[i] + r[n + i] + r[2 * n + i]); \
    work->middle[i] = (uint8_t)sum;

#define COMBINE_HIGH_BYTE(n, i) \
    sum = (int16_t)(CARRY(sum) + (uint8_t)~work->middle[n + i] \
                    + r[n + i] + r[2 * n + i] + r[3 * n + i] \
                    + (uint8_t)(d_sign & work->e[i]) + (uint8_t)(e_sign & work->d[i])); \
    r[n + i] = work->middle[i]; \
    r[2 * n + i] = (uint8_t)sum;

/* The carry that is left, less X^2 for ~ and X^2 for two negative signs, is 0 or 1. */
#define COMBINE_CARRY (CARRY(sum) - 1 - (d_sign & e_sign & 1))

#define CARRY_BYTE(n, i) \
    sum = (int16_t)(sum + r[3 * n + i]); \
    r[3 * n + i] = (uint8_t)sum; \
    sum = CARRY(sum);

uint8_t selo_halves_128(uint8_t d[restrict 8], const uint8_t a[restrict 16])
{
    int16_t sum = 1 << 8;
#define HALVES(i) HALVES_BYTE(8, i)
    EACH_8(HALVES)
#undef HALVES
    return (uint8_t)(CARRY(sum) - 1);
}

uint8_t selo_halves_256(uint8_t d[restrict 16], const uint8_t a[restrict 32])
{
    int16_t sum = 1 << 8;
#define HALVES(i) HALVES_BYTE(16, i)
    EACH_16(HALVES)
#undef HALVES
    return (uint8_t)(CARRY(sum) - 1);
}

void selo_combine_128(uint8_t r[32], struct selo_karatsuba_128 *work,
                      uint8_t d_sign, uint8_t e_sign)
{
    int16_t sum = 1 << 8;
#define LOW(i) COMBINE_LOW_BYTE(8, i)
#define HIGH(i) COMBINE_HIGH_BYTE(8, i)
#define RIPPLE(i) CARRY_BYTE(8, i)
    EACH_8(LOW)
    EACH_8(HIGH)
    sum = (int16_t)COMBINE_CARRY;
    EACH_8(RIPPLE)
#undef LOW
#undef HIGH
#undef RIPPLE
}

void selo_combine_256(uint8_t r[64], struct selo_karatsuba_256 *work,
                      uint8_t d_sign, uint8_t e_sign)
{
    int16_t sum = 1 << 8;
#define LOW(i) COMBINE_LOW_BYTE(16, i)
#define HIGH(i) COMBINE_HIGH_BYTE(16, i)
#define RIPPLE(i) CARRY_BYTE(16, i)
    EACH_16(LOW)
    EACH_16(HIGH)
    sum = (int16_t)COMBINE_CARRY;
    EACH_16(RIPPLE)
#undef LOW
#undef HIGH
#undef RIPPLE
}
