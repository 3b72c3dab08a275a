/*
 * Internal declarations of P-256 [SP800-186, 3.2.1.3]: y^2 = x^3 - 3 x + b over the field of field.h.
 */
#ifndef SELO_P256_INTERNAL_H
#define SELO_P256_INTERNAL_H

#include "../../selo_p256.h"
#include "../common/compiler.h"
#include "../native/api.h"
#include "field.h"

/* A point with its coordinates in Montgomery form. */
struct selo_p256_affine {
    union {
        struct { uint8_t x[32], y[32]; };
        uint8_t point[64];
    };
};

/* A division (p256_invert.c). */
struct selo_p256_division { uint8_t f[33], g[33], d[33], e[33]; int8_t matrix[6]; };

/* A point in Jacobian coordinates, x = X / Z^2 and y = Y / Z^3, a point to be added to it, and room
 * for the computation. */
struct selo_p256_work {
    union {
        struct { uint8_t x[32], y[32], z[32]; };
        uint8_t point[96];
    };
    union {
        struct {
            uint8_t a[32], b[32], c[32];
            struct selo_p256_affine entry;
        };
        struct selo_p256_division division;
        uint8_t scratch[2][32];
    };
    uint8_t signs[33]; /* of a scalar */
};

/* p256_point.c. No time depends on a point. */
/* The point = the entry. */
void selo_p256_begin(struct selo_p256_work *w);
/* The point = 2 point. */
void selo_p256_double(struct selo_p256_work *w);
/* The point += the entry. Neither may be the neutral element, nor may they be equal: then Z becomes 0,
 * as it also does for opposite points. */
void selo_p256_add_entry(struct selo_p256_work *w);
/* The entry = its opposite, if mask is 0xff; as it is, if 0. Its y must be below p, and stays so. */
void selo_p256_negate_if(uint8_t y[32], uint8_t mask);
/* x and y of the point = its affine coordinates, below p. Uses the rest but the signs. */
void selo_p256_to_affine(struct selo_p256_work *w);
/* r = 1 in Montgomery form. */
void selo_p256_one(uint8_t r[32]);

/* p256_encode.c */
/* The point that the bytes encode. Returns SELO_ERROR_KEY if there is none. Uses the scratch. */
enum selo_status selo_p256_decode(struct selo_p256_affine *point, const uint8_t bytes[64],
                                  uint8_t scratch[2][32]);
/* A coordinate of a point to its encoding; it becomes the number. And 32 bytes in the other order. */
void selo_p256_encode(uint8_t bytes[32], uint8_t coordinate[32]);
void selo_p256_swap(uint8_t out[32], const uint8_t in[32]);

/* p256_scalar.c: numbers modulo n, the order of the base point, 32 bytes, little-endian. No time
 * depends on them. */
/* 1 if a is from 1 to n - 1, else 0. */
uint8_t selo_p256_is_scalar(const uint8_t a[32]);
/* a -= n, if it is not below n. */
void selo_p256_scalar_canonical(uint8_t a[32]);
/* r = a b 2^-256 modulo n, for a below n and any b. r may be a or b. */
void selo_p256_scalar_multiply(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
/* r = a 2^256 modulo n, for any a. r may be a. */
void selo_p256_scalar_enter(uint8_t r[32], const uint8_t a[32]);
/* r = a + b modulo n, for a and b below n. */
void selo_p256_scalar_add(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
/* a += n; returns 1 if the sum is below p, else 0. Not in constant time. */
uint8_t selo_p256_scalar_next(uint8_t a[32]);
/* r = 2^256 / a modulo n, and 0 for 0; a is below n. r may be a. */
void selo_p256_scalar_invert(uint8_t r[32], const uint8_t a[32]);
/* The scalar becomes the signs of an odd number M, of which bit i says whether 2^i is added or subtracted: M is
 * the scalar, or n - scalar, and then the result is 0xff, else 0. The highest sign is missing. */
uint8_t selo_p256_signs(uint8_t scalar[33]);

/* p256_invert.c
 * r = factor / a modulo an odd modulus, for a below 2^256; below the modulus. 0 if a is 0 modulo it.
 * The constants are in flash. r may be a. *s is scratch, and wiped. */
struct selo_p256_modulus {
    uint8_t modulus[32], factor[32];
    uint8_t inverse; /* of the modulus, modulo 128 */
};
void selo_p256_divide(uint8_t r[32], const uint8_t a[32], const struct selo_p256_modulus *modulus,
                      struct selo_p256_division *s);

/* p256_transform.c
 * A matrix is u, v, a number x, q, r and a number y:
 *   first = (u first + v second + x modulus) / 2^6, second = (q first + r second + y modulus) / 2^7
 * of the old first and second, rounded down. Both are signed. The modulus is 32 bytes in flash, or NULL
 * for 0. The sums of the absolute values of u, v and x, and of q, r and y, are at most 192. */
void selo_p256_transform_bytes(uint8_t first[33], uint8_t second[33], const int8_t matrix[6],
                               const uint8_t *modulus);

/* p256_times.c
 * The point = the entry times the scalar from 1 to n - 1 in w.signs. No time depends on them. Uses
 * all of *t. */
struct selo_p256_times {
    struct selo_p256_work w;
    union { /* the entry times 1, 3, ... 15 */
        struct selo_p256_affine multiples[8];
        uint8_t points[512];
    };
};
void selo_p256_times(struct selo_p256_times *t);

/* p256_base.c
 * x and y of the point = those of the base point times the scalar from 1 to n - 1 in signs, below p. No time
 * depends on it. Uses all of *w. */
void selo_p256_base(struct selo_p256_work *w);

/* p256_wipe.c: wipes the stack below the caller, where the functions above kept their work. */
void selo_p256_wipe_scratch(void);

#endif
