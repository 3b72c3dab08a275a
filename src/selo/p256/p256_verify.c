/* Verification of signatures of ECDSA [FIPS186-5, 6.4.2]. Nothing here is secret. */
#include <string.h>

#include "p256.h"

/* t's point += the entry, in all cases. Returns 0 if the sum is the neutral element. */
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
static uint8_t matches(struct selo_p256_work *w, uint8_t r[32])
{
    if (has_x(w, r)) {
        return 1;
    }
    return selo_p256_scalar_next(r) && has_x(w, r);
}

/* The point u1 B + u2 Q, where Q is t's entry. Returns 0 if it is the neutral element. */
static SELO_STACK_APART uint8_t combine(struct selo_p256_times *t, const uint8_t u1[32],
                                        const uint8_t u2[32])
{
    struct selo_p256_affine of_base;
    const uint8_t both = selo_p256_is_scalar(u1); /* a digest of 0 makes u1 0 */

    if (both) {
        selo_p256_base(&of_base, u1);
    }
    selo_p256_times(t, u2);
    if (both) {
        memcpy(&t->w.entry, &of_base, sizeof of_base);
        return add_any(&t->w);
    }
    return 1;
}

enum selo_status selo_p256_verify_digest(const uint8_t signature[64], const uint8_t public_key[64],
                                         const uint8_t digest[32])
{
    struct selo_p256_times t;
    uint8_t u1[32], u2[32], r[32];
    enum selo_status status;

    status = selo_p256_decode(&t.w.entry, public_key, t.w.scratch);
    if (status != SELO_OK) {
        return status;
    }
    selo_p256_swap(r, signature);
    selo_p256_swap(u2, signature + 32);
    if (!selo_p256_is_scalar(r) || !selo_p256_is_scalar(u2)) {
        return SELO_ERROR_TAG;
    }
    selo_p256_scalar_invert(u2, u2);
    selo_p256_swap(u1, digest);
    selo_p256_scalar_multiply(u1, u2, u1);
    selo_p256_scalar_multiply(u2, u2, r);
    return combine(&t, u1, u2) && matches(&t.w, r) ? SELO_OK : SELO_ERROR_TAG;
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
