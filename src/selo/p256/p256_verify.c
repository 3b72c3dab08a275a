/* Verification of signatures of ECDSA [FIPS186-5, 6.4.2]. Nothing here is secret. */
#include <string.h>

#include "p256.h"

/* The point += the entry, in all cases. Returns 0 if the sum is the neutral element. */
static uint8_t add_any(struct selo_p256_work *w)
{
    selo_p256_add_entry(w);
    if (selo_p256_is_zero(w->z)) {
        if (!selo_p256_is_zero(w->b)) { /* the difference of their y: opposite points */
            return 0;
        }
        selo_p256_begin(w);
        selo_p256_double(w);
    }
    return 1;
}

/* Whether x of the point is the number, which is below p. */
static uint8_t has_x(struct selo_p256_work *w, const uint8_t number[32])
{
    selo_p256_square(w->a, w->z);
    selo_p256_enter(w->b, number);
    selo_p256_multiply(w->b, w->b, w->a);
    selo_p256_subtract(w->b, w->b, w->x);
    return selo_p256_is_zero(w->b);
}

/* Whether x of the point is r modulo n: r or r + n, if that is below p. */
static enum selo_status compare(struct selo_p256_work *w, const uint8_t signature[64])
{
    uint8_t *const r = w->signs;

    selo_p256_swap(r, signature);
    if (has_x(w, r) || (selo_p256_scalar_next(r) && has_x(w, r))) {
        return SELO_OK;
    }
    return SELO_ERROR_TAG;
}

/* u1 = digest / s and u2 = r / s modulo n; 0 if r or s is not from 1 to n - 1. */
static uint8_t decode_signature(uint8_t u1[32], uint8_t u2[32], const uint8_t signature[64],
                                const uint8_t digest[32])
{
    uint8_t s[32];

    selo_p256_swap(u2, signature);
    selo_p256_swap(s, signature + 32);
    if (!selo_p256_is_scalar(u2) || !selo_p256_is_scalar(s)) {
        return 0;
    }
    selo_p256_scalar_invert(s, s);
    selo_p256_swap(u1, digest);
    selo_p256_scalar_multiply(u1, s, u1);
    selo_p256_scalar_multiply(u2, s, u2);
    return 1;
}

enum selo_status selo_p256_verify_digest(const uint8_t signature[64], const uint8_t public_key[64],
                                         const uint8_t digest[32])
{
    struct selo_p256_times t;
    struct selo_p256_affine of_base;
    uint8_t *const u1 = t.w.signs, u2[32];

    if (selo_p256_check(public_key) != SELO_OK) {
        return SELO_ERROR_KEY;
    }
    if (!decode_signature(u1, u2, signature, digest)) {
        return SELO_ERROR_TAG;
    }
    /* u1 times the base point plus u2 times the public key; a digest of 0 makes u1 0 */
    const uint8_t both = selo_p256_is_scalar(u1);
    if (both) {
        selo_p256_base(&t.w);
        memcpy(of_base.point, t.w.point, 64);
    }
    (void)selo_p256_decode(&t.w.entry, public_key, t.w.scratch); /* it is a point, see above */
    memcpy(t.w.signs, u2, sizeof u2);
    selo_p256_times(&t);
    if (both) {
        t.w.entry = of_base;
        if (!add_any(&t.w)) {
            return SELO_ERROR_TAG;
        }
    }
    return compare(&t.w, signature);
}

static SELO_STACK_APART void hash(uint8_t digest[32], const void *message, size_t size)
{
    struct selo_sha256 state;

    selo_sha256_start(&state);
    selo_sha256_update(&state, message, size);
    selo_sha256_finish(&state, digest);
}

enum selo_status selo_p256_verify(const uint8_t signature[64], const uint8_t public_key[64],
                                  const void *message, size_t size)
{
    uint8_t digest[32];

    hash(digest, message, size);
    return selo_p256_verify_digest(signature, public_key, digest);
}
