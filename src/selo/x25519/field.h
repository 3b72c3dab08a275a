/*
 * The field of X25519: integers modulo p = 2^255 - 19 [RFC7748, 4.1].
 *
 * An element is 32 bytes, little-endian. Reduction is lazy: any value below
 * 2^256 stands for itself modulo p, so every element has two or three forms and
 * only selo_field25519_canonical picks the one below p. Unless a function says
 * otherwise it takes any 32 bytes, lets outputs be inputs (r == a), and leaves a
 * value below the bound it states, which is always below 2^256.
 *
 * Time and addresses depend on no byte of an element. Scratch memory on the
 * stack is not wiped function by function, but once by x25519_ladder.c.
 *
 * Multiplication and squaring exist twice: from bytes up, for 8-bit machines, and
 * from words up, for the others. SELO_X25519_WORDS chooses; both are always
 * compiled and tested, and the linker drops the one that is not called. A CPU with
 * 64-bit words has all operations once more (SELO_X25519_WIDE, field_wide.c). Where
 * SELO_NATIVE_X25519 is 1 (native/api.h), assembly takes the place of all of them;
 * nothing else knows how they work.
 */
#ifndef SELO_X25519_FIELD_H
#define SELO_X25519_FIELD_H

#include <stdint.h>

#include "../native/api.h"

/* The alignment that the functions of SELO_NATIVE_X25519 need of an element. A caller of the
 * library aligns nothing. */
#if SELO_NATIVE_X25519 && !SELO_BACKEND_AVR
#define SELO_FIELD25519_ALIGNMENT 4
#else
#define SELO_FIELD25519_ALIGNMENT 1
#endif

#if SELO_NATIVE_X25519 && SELO_BACKEND_ARM
#define selo_field25519_multiply selo_field25519_multiply_arm
#define selo_field25519_square selo_field25519_square_arm
#define selo_field25519_butterfly selo_field25519_butterfly_arm
#define selo_field25519_subtract selo_field25519_subtract_arm
#define selo_field25519_add_121666 selo_field25519_add_121666_arm
#define selo_field25519_select selo_field25519_select_arm
#elif SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32
#define selo_field25519_multiply selo_field25519_multiply_riscv32
#define selo_field25519_square selo_field25519_square_riscv32
#define selo_field25519_butterfly selo_field25519_butterfly_riscv32
#define selo_field25519_subtract selo_field25519_subtract_riscv32
#define selo_field25519_add_121666 selo_field25519_add_121666_riscv32
#define selo_field25519_select selo_field25519_select_riscv32
#elif SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA
#define selo_field25519_multiply selo_field25519_multiply_xtensa
#define selo_field25519_square selo_field25519_square_xtensa
#define selo_field25519_butterfly selo_field25519_butterfly_xtensa
#define selo_field25519_subtract selo_field25519_subtract_xtensa
#define selo_field25519_add_121666 selo_field25519_add_121666_xtensa
#define selo_field25519_select selo_field25519_select_xtensa
#elif SELO_NATIVE_X25519
#define selo_field25519_multiply selo_field25519_multiply_avr
#define selo_field25519_square selo_field25519_square_avr
#define selo_field25519_butterfly selo_field25519_butterfly_avr
#define selo_field25519_subtract selo_field25519_subtract_avr
#define selo_field25519_add_121666 selo_field25519_add_121666_avr
#define selo_field25519_select selo_field25519_select_avr
#elif SELO_X25519_WIDE
#define selo_field25519_multiply selo_field25519_multiply_wide
#define selo_field25519_square selo_field25519_square_wide
#define selo_field25519_butterfly selo_field25519_butterfly_wide
#define selo_field25519_subtract selo_field25519_subtract_wide
#define selo_field25519_add_121666 selo_field25519_add_121666_wide
#define selo_field25519_select selo_field25519_select_wide
#else
#if SELO_X25519_WORDS
#define selo_field25519_multiply selo_field25519_multiply_words
#define selo_field25519_square selo_field25519_square_words
#else
#define selo_field25519_multiply selo_field25519_multiply_bytes
#define selo_field25519_square selo_field25519_square_bytes
#endif
#define selo_field25519_butterfly selo_field25519_butterfly_bytes
#define selo_field25519_subtract selo_field25519_subtract_bytes
#define selo_field25519_add_121666 selo_field25519_add_121666_bytes
#define selo_field25519_select selo_field25519_select_bytes
#endif

/* r = a b mod p; r < 167 * 2^248. */
void selo_field25519_multiply_bytes(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_field25519_multiply_words(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);

/* r = a^2 mod p; r < 167 * 2^248. */
void selo_field25519_square_bytes(uint8_t r[32], const uint8_t a[32]);
void selo_field25519_square_words(uint8_t r[32], const uint8_t a[32]);

/*
 * All operations in words of 64 bits. Their results are below 2^256 and no less bounded, which is
 * all that the others of this file ask for.
 */
#if SELO_X25519_WIDE
void selo_field25519_multiply_wide(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_field25519_square_wide(uint8_t r[32], const uint8_t a[32]);
void selo_field25519_butterfly_wide(uint8_t a[32], uint8_t b[32]);
void selo_field25519_subtract_wide(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_field25519_add_121666_wide(uint8_t a[32], const uint8_t b[32]);
void selo_field25519_select_wide(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
                                 uint8_t choice);
#endif

/* r = product mod p; r < 167 * 2^248. r must be apart from product. */
void selo_field25519_reduce(uint8_t r[32], const uint8_t product[64]);

/* (a, b) = (a + b, a - b) mod p; a, b < 131 * 2^248. a and b must be apart. */
void selo_field25519_butterfly_bytes(uint8_t a[32], uint8_t b[32]);

/* r = a - b mod p; r < 131 * 2^248. */
void selo_field25519_subtract_bytes(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);

/* a = a + 121666 b mod p; a < 131 * 2^248. a and b must be apart. */
void selo_field25519_add_121666_bytes(uint8_t a[32], const uint8_t b[32]);

/*
 * r = a, or b where choice is 1: two elements at once. The same loads and stores for
 * both choices. r may be a or b.
 */
void selo_field25519_select_bytes(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
                                  uint8_t choice);

/* r = 1 / a mod p, and 0 for a = 0, with the bound of a product. All three must be apart. */
void selo_field25519_invert(uint8_t r[32], const uint8_t a[32], uint8_t scratch[3][32]);

/* The same in another way, in bytes of which no alignment is asked. r must be apart from a. */
void selo_field25519_invert_divsteps(uint8_t r[32], const uint8_t a[32]);

/* (a, b) = (u a + v b, q a + r b) / 2^28, rounded down. pair has a word for work, the ten limbs of a,
 * another word and those of b; halves has the lower 14 bits and the rest of u, v, q and r, with
 * |u| + |v| and |q| + |r| at most 2^28. */
#if SELO_NATIVE_X25519 && SELO_BACKEND_THUMB1
#define selo_field25519_apply selo_field25519_apply_arm
#endif
void selo_field25519_apply(int32_t pair[22], const int32_t halves[8]);

/* a = a mod p, below p. */
void selo_field25519_canonical(uint8_t a[32]);

#endif
