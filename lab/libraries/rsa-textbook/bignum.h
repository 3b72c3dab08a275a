/*
 * Natural numbers of a fixed number of limbs, least significant first, for the
 * textbook RSA. Not constant time.
 */
#ifndef RSA_TEXTBOOK_BIGNUM_H
#define RSA_TEXTBOOK_BIGNUM_H

#include <limits.h>
#include <stdint.h>

/* Bits of a limb: 16 where int has 16, else 32. It can be set, to test both on one machine. */
#ifndef RSA_LIMB_BITS
#if UINT_MAX > 0xffff
#define RSA_LIMB_BITS 32
#else
#define RSA_LIMB_BITS 16
#endif
#endif

/* A limb, and a product of two. */
#if RSA_LIMB_BITS == 32
typedef uint32_t rsa_limb;
typedef uint64_t rsa_wide;
#else
typedef uint16_t rsa_limb;
typedef uint32_t rsa_wide;
#endif

enum {
    RSA_BITS = 2048,
    RSA_BYTES = RSA_BITS / 8,
    RSA_LIMBS = RSA_BITS / RSA_LIMB_BITS,     /* of n */
    RSA_HALF_LIMBS = RSA_LIMBS / 2            /* of p and q */
};

/* From and to big-endian bytes, `limbs` limbs of them. */
void rsa_from_bytes(rsa_limb *r, const uint8_t *bytes, uint8_t limbs);
void rsa_to_bytes(uint8_t *bytes, const rsa_limb *a, uint8_t limbs);

/* Returns -1, 0 or 1 if a is less than, equal to or greater than b. */
int8_t rsa_compare(const rsa_limb *a, const rsa_limb *b, uint8_t limbs);

/* r = a + b; returns the carry. r may be a or b. */
rsa_limb rsa_add(rsa_limb *r, const rsa_limb *a, const rsa_limb *b, uint8_t limbs);

/* r = a - b; returns the borrow. r may be a or b. */
rsa_limb rsa_subtract(rsa_limb *r, const rsa_limb *a, const rsa_limb *b, uint8_t limbs);

/* r = a b, of twice as many limbs; r must be apart from a and b. */
void rsa_multiply(rsa_limb *r, const rsa_limb *a, const rsa_limb *b, uint8_t limbs);

/* r = a mod m, by shifting and subtracting; r must be apart from a and m; a has
 * a_limbs limbs, r and m have `limbs`. */
void rsa_modulo(rsa_limb *r, const rsa_limb *a, uint8_t a_limbs,
                const rsa_limb *m, uint8_t limbs);

/* a mod d for 0 < d < 2^24. */
uint32_t rsa_modulo_small(const rsa_limb *a, uint8_t limbs, uint32_t d);

/* a = (a + high 2^(RSA_LIMB_BITS limbs)) / d for high < d < 2^24; returns the remainder. */
uint32_t rsa_divide_small(rsa_limb *a, uint8_t limbs, uint32_t high, uint32_t d);

#endif
