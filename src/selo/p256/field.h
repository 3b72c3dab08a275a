/*
 * The field of P-256: integers modulo p = 2^256 - 2^224 + 2^192 + 2^96 - 1 [SP800-186, 3.2.1.3].
 *
 * An element is 32 bytes, little-endian, in Montgomery form: a stands for a 2^-256 modulo p.
 * Reduction is lazy: any value below 2^256 is an element, so some have two forms, and only
 * selo_p256_canonical picks the one below p. Every function takes any 32 bytes, and outputs may
 * be inputs (r == a), unless it says otherwise.
 *
 * Time and addresses depend on no byte of an element. Scratch memory on the stack is not wiped
 * function by function, but once by the callers of selo_p256_wipe_scratch.
 *
 * Where SELO_NATIVE_P256 is 1 (native/api.h), assembly takes the place of the C.
 */
#ifndef SELO_P256_FIELD_H
#define SELO_P256_FIELD_H

#include <stdint.h>

#include "../native/api.h"

#if SELO_NATIVE_P256 && SELO_BACKEND_AVR
#define selo_p256_multiply selo_p256_multiply_avr
#define selo_p256_square selo_p256_square_avr
#define selo_p256_add selo_p256_add_avr
#define selo_p256_subtract selo_p256_subtract_avr
#define selo_p256_add_times selo_p256_add_times_avr
#define selo_p256_transform selo_p256_transform_avr
#define selo_p256_choose selo_p256_choose_avr
#else
#if SELO_NATIVE_P256
#define selo_p256_multiply selo_p256_multiply_arm
#define selo_p256_add_times selo_p256_add_times_arm
#else
#define selo_p256_multiply selo_p256_multiply_words
#define selo_p256_add_times selo_p256_add_times_words
#endif
#define selo_p256_square(r, a) selo_p256_multiply(r, a, a)
#define selo_p256_add(r, a, b) selo_p256_add_times(r, a, b, 1)
#define selo_p256_subtract(r, a, b) selo_p256_add_times(r, a, b, -1)
#define selo_p256_transform selo_p256_transform_bytes
#define selo_p256_choose selo_p256_choose_bytes
#endif

/* r = a b 2^-256 mod p, the product of Montgomery forms. */
void selo_p256_multiply_words(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);

/* r = a + times b mod p, for times from -8 to 8. */
void selo_p256_add_times_words(uint8_t r[32], const uint8_t a[32], const uint8_t b[32], int8_t times);

/* entry = point `index`, 0 to 7. Every byte of the points is read. entry must be apart from them. */
struct selo_p256_affine;
void selo_p256_choose_bytes(struct selo_p256_affine *entry, const struct selo_p256_affine *points,
                            uint8_t index);

/* a = a mod p, below p. */
void selo_p256_canonical(uint8_t a[32]);

/* 1 if a is 0 modulo p, else 0. */
uint8_t selo_p256_is_zero(const uint8_t a[32]);

/* r = the Montgomery form of a number, and a number from its Montgomery form, below p. r may be a. */
void selo_p256_enter(uint8_t r[32], const uint8_t a[32]);
void selo_p256_leave(uint8_t r[32], const uint8_t a[32]);

/* r = 1 / a in Montgomery form, and 0 for a = 0 mod p; below p. r may be a. *s is scratch, and wiped. */
struct selo_p256_division;
void selo_p256_invert(uint8_t r[32], const uint8_t a[32], struct selo_p256_division *s);

#endif
