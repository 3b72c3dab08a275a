/*
 * Integer products below the field: 8 x 8 bytes by columns, and the Karatsuba
 * step that makes a product of 2n bytes out of three of n bytes. Internal to
 * field_multiply_bytes.c and field_square_bytes.c.
 */
#ifndef SELO_X25519_FIELD_PRODUCT_H
#define SELO_X25519_FIELD_PRODUCT_H

#include <stdint.h>

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
/* d = a0 - a1 mod X; returns 0xff if a0 < a1, else 0. */
uint8_t selo_halves_128(uint8_t d[restrict 8], const uint8_t a[restrict 16]);
uint8_t selo_halves_256(uint8_t d[restrict 16], const uint8_t a[restrict 32]);

/*
 * work is in three pieces: the product of d and e (2n bytes), d (n) and e (n),
 * the differences of a and b. Before: r = a0 b0 + a1 b1 X^2, and d_sign and
 * e_sign are what selo_halves_* returned for d and e. After: r = a b, and work is
 * altered.
 */
void selo_combine_128(uint8_t r[32], uint8_t work[32], uint8_t d_sign, uint8_t e_sign);
void selo_combine_256(uint8_t r[64], uint8_t work[64], uint8_t d_sign, uint8_t e_sign);

#endif
