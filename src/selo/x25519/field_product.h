/*
 * Integer products below the field: 8 x 8 bytes by columns, and the Karatsuba
 * step that makes a product of 2n bytes out of three of n bytes. Internal to
 * field_multiply.c and field_square.c.
 */
#ifndef SELO_X25519_FIELD_PRODUCT_H
#define SELO_X25519_FIELD_PRODUCT_H

#include <stdint.h>

/*
 * The accumulator of a column. A column of n products of bytes, with the carry
 * of the column before, stays below n * 255 * 255 + 2^16 <= 2^20 for n <= 8: 24
 * bits are enough where the compiler has such an integer, and spare an 8-bit
 * machine an addition per product. It is signed because the compiler keeps the
 * order of a signed sum; it pairs the terms of an unsigned one up first and runs
 * out of registers.
 */
#ifdef __INT24_MAX__
typedef __int24 selo_column;
typedef __uint24 selo_column_bits;
#else
typedef int32_t selo_column;
typedef uint32_t selo_column_bits;
#endif

/* r = a b. r must be apart from a and b. */
void selo_multiply_64(uint8_t r[restrict 16], const uint8_t a[8], const uint8_t b[8]);

/* r = a^2. r must be apart from a. */
void selo_square_64(uint8_t r[restrict 16], const uint8_t a[8]);

/*
 * Subtractive Karatsuba for numbers of two halves of n bytes, a = a0 + a1 X and
 * b = b0 + b1 X with X = 256^n:
 *
 *   a b = a0 b0 + (a0 b0 + a1 b1 - (a0 - a1)(b0 - b1)) X + a1 b1 X^2
 *
 * The differences are kept modulo X, each with a mask that says whether it was
 * negative; what the missing signs make is added back when combining. That is
 * one pass less than taking absolute values, and has no branch.
 */
struct selo_karatsuba_128 { uint8_t middle[16], d[8], e[8]; };
struct selo_karatsuba_256 { uint8_t middle[32], d[16], e[16]; };

/* d = a0 - a1 mod X; returns 0xff if a0 < a1, else 0. */
uint8_t selo_halves_128(uint8_t d[restrict 8], const uint8_t a[restrict 16]);
uint8_t selo_halves_256(uint8_t d[restrict 16], const uint8_t a[restrict 32]);

/*
 * Before: r = a0 b0 + a1 b1 X^2; work->d and work->e are the differences of a
 * and b, d_sign and e_sign what selo_halves_* returned for them, work->middle is
 * d e. After: r = a b; work->middle is altered.
 */
void selo_combine_128(uint8_t r[32], struct selo_karatsuba_128 *work,
                      uint8_t d_sign, uint8_t e_sign);
void selo_combine_256(uint8_t r[64], struct selo_karatsuba_256 *work,
                      uint8_t d_sign, uint8_t e_sign);

#endif
