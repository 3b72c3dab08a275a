/*
 * Internal declarations of Ed25519 [RFC8032, 5.1].
 *
 * Points are those of x25519/x25519_comb.inc, elements those of x25519/field.h. A scalar is 32 bytes,
 * little-endian, and below the order L = 2^252 + 27742317777372353535851937790883648493.
 */
#ifndef SELO_ED25519_INTERNAL_H
#define SELO_ED25519_INTERNAL_H

#include "../../selo_ed25519.h"
#include "../common/compiler.h"
#include "../native/api.h"

/* ed25519_scalar.c. No time depends on a scalar.
 * r = x modulo L. r may be x. */
void selo_ed25519_reduce(uint8_t r[32], const uint8_t x[64]);
/* r = a * b + c modulo L, for any a, b and c. r may be any of them. */
void selo_ed25519_multiply_add(uint8_t r[32], const uint8_t a[32], const uint8_t b[32],
                               const uint8_t c[32]);
/* r = a / 8 modulo L, for any a. */
void selo_ed25519_eighth(uint8_t r[32], const uint8_t a[32]);
/* 1 if a is below L, else 0. */
uint8_t selo_ed25519_is_scalar(const uint8_t a[32]);
/* r = 8 L */
void selo_ed25519_eight_orders(uint8_t r[32]);
/* The signs of x25519_base.c for the scalar m: (M - 1) / 2 and the highest sign, where the odd M is m
 * or m + L. */
void selo_ed25519_signs(uint8_t signs[32], const uint8_t m[32]);

/* ed25519_halve.c
 * Two numbers of about 128 bits, the second of them odd, with first = second * k modulo 8 L, or
 * -second * k, in which case it returns 1, else 0. Not in constant time. */
uint8_t selo_ed25519_halve(uint8_t first[32], uint8_t second[32], const uint8_t k[32]);

/* ed25519_root.c
 * r = a^(2^252 - 3) modulo p. All must be apart. */
void selo_ed25519_power(uint8_t r[32], const uint8_t a[32], uint8_t scratch[2][32]);

/* ed25519_base.c
 * out = the encoding of scalar * B [RFC8032, 5.1.2], for any scalar. No time depends on it. */
void selo_ed25519_base(uint8_t out[32], const uint8_t scalar[32]);

/* ed25519_equation.c
 * Whether R = S B - k A, for scalars S and k below L. R and A are encodings.
 * Returns: SELO_OK, SELO_ERROR_TAG, or SELO_ERROR_KEY if A is no point or of small order. */
enum selo_status selo_ed25519_equation(const uint8_t r[32], const uint8_t s[32],
                                       const uint8_t public_key[32], const uint8_t k[32]);

#endif
