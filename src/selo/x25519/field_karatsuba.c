/*
 * The additions of a Karatsuba step, for halves of 8 and of 16 bytes; the
 * identity stands in field_product.h. The two sizes share one text, expanded
 * twice, eight bytes a turn: a load with a constant offset is what an 8-bit
 * machine does well, and three running pointers are not. Sums are signed 16-bit,
 * whose order the compiler keeps (common/column.h).
 */
#include "field_product.h"

#define EACH_8(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7)

/* The carry of a sum of bytes, which is not negative. */
#define CARRY(sum) (int16_t)((uint16_t)(sum) >> 8)

/* d = a0 - a1 mod 256^n, as a0 + ~a1 + 1: the carry out is 1 if nothing was borrowed. */
#define HALVES(n) \
    int16_t sum = 1 << 8; \
    for (uint8_t turns = (n) / 8; turns != 0; turns--) { \
        EACH_8(HALVES_BYTE_##n) \
        a += 8; \
        d += 8; \
    } \
    return (uint8_t)(CARRY(sum) - 1);

#define HALVES_BYTE(n, i) \
    sum = (int16_t)(CARRY(sum) + a[i] + (uint8_t)~a[(n) + (i)]); \
    d[i] = (uint8_t)sum;
#define HALVES_BYTE_8(i) HALVES_BYTE(8, i)
#define HALVES_BYTE_16(i) HALVES_BYTE(16, i)

uint8_t selo_halves_128(uint8_t d[restrict 8], const uint8_t a[restrict 16])
{
    HALVES(8)
}

uint8_t selo_halves_256(uint8_t d[restrict 16], const uint8_t a[restrict 32])
{
    HALVES(16)
}

/*
 * With D = a0 - a1 = d - [D < 0] X and E likewise,
 *
 *   D E = d e - [D < 0] e X - [E < 0] d X + [D < 0][E < 0] X^2
 *
 * so the middle term a0 b0 + a1 b1 - D E is a sum of n-byte pieces, where
 * -(d e) is ~(d e) + 1 - X^2. It is not negative and below 2 X^2. A byte of it
 * adds at most six bytes and a carry below 6. Its low half waits in work, because
 * r[n..2n) is still needed. The carry that is left at its end, less one X^2 for ~
 * and one for two negative signs, is 0 or 1.
 */
#define COMBINE(n) \
    int16_t sum = 1 << 8; \
    for (uint8_t turns = (n) / 8; turns != 0; turns--) { \
        EACH_8(LOW_BYTE_##n) \
        r += 8; \
        work += 8; \
    } \
    r -= (n); \
    work -= (n); \
    for (uint8_t turns = (n) / 8; turns != 0; turns--) { \
        EACH_8(HIGH_BYTE_##n) \
        r += 8; \
        work += 8; \
    } \
    r += 2 * (n); \
    sum = (int16_t)(CARRY(sum) - 1 - (d_sign & e_sign & 1)); \
    for (uint8_t turns = (n) / 8; turns != 0; turns--) { \
        EACH_8(CARRY_BYTE) \
        r += 8; \
    }

#define LOW_BYTE(n, i) \
    sum = (int16_t)(CARRY(sum) + (uint8_t)~work[i] \
                    + r[i] + r[(n) + (i)] + r[2 * (n) + (i)]); \
    work[i] = (uint8_t)sum;
#define LOW_BYTE_8(i) LOW_BYTE(8, i)
#define LOW_BYTE_16(i) LOW_BYTE(16, i)

#define HIGH_BYTE(n, i) \
    sum = (int16_t)(CARRY(sum) + (uint8_t)~work[(n) + (i)] \
                    + r[(n) + (i)] + r[2 * (n) + (i)] + r[3 * (n) + (i)] \
                    + (uint8_t)(d_sign & work[3 * (n) + (i)]) \
                    + (uint8_t)(e_sign & work[2 * (n) + (i)])); \
    r[(n) + (i)] = work[i]; \
    r[2 * (n) + (i)] = (uint8_t)sum;
#define HIGH_BYTE_8(i) HIGH_BYTE(8, i)
#define HIGH_BYTE_16(i) HIGH_BYTE(16, i)

#define CARRY_BYTE(i) \
    sum = (int16_t)(sum + r[i]); \
    r[i] = (uint8_t)sum; \
    sum = CARRY(sum);

void selo_combine_128(uint8_t r[32], uint8_t work[32], uint8_t d_sign, uint8_t e_sign)
{
    COMBINE(8)
}

void selo_combine_256(uint8_t r[64], uint8_t work[64], uint8_t d_sign, uint8_t e_sign)
{
    COMBINE(16)
}
