/*
 * Left-to-right square and multiply with Montgomery's product [MONTGOMERY1985]. The four working
 * numbers are static, because a small stack has no room for them.
 */
#include "power.h"

#include <string.h>

static rsa_limb result[RSA_LIMBS], factor[RSA_LIMBS], square[RSA_LIMBS], sum[RSA_LIMBS + 2];

/* -1 / m mod 2^RSA_LIMB_BITS. Each turn doubles the number of correct bits, which starts at 3. */
static rsa_limb negative_inverse(rsa_limb m)
{
    rsa_limb x = m;
    for (uint8_t bits = 3; bits < RSA_LIMB_BITS; bits = (uint8_t)(2 * bits)) {
        x = (rsa_limb)(x * (2u - (rsa_wide)m * x));
    }
    return (rsa_limb)(0u - x);
}

/* r = a b / R mod m with R = 2^(RSA_LIMB_BITS limbs); r may be a or b. */
static void product(rsa_limb *r, const rsa_limb *a, const rsa_limb *b,
                    const rsa_limb *m, rsa_limb m_negative_inverse, uint8_t limbs)
{
    memset(sum, 0, sizeof sum);
    for (uint8_t i = 0; i < limbs; i++) {
        rsa_wide carry = 0;
        for (uint8_t j = 0; j < limbs; j++) {
            carry += (rsa_wide)a[i] * b[j] + sum[j];
            sum[j] = (rsa_limb)carry;
            carry >>= RSA_LIMB_BITS;
        }
        carry += sum[limbs];
        sum[limbs] = (rsa_limb)carry;
        sum[limbs + 1] = (rsa_limb)(carry >> RSA_LIMB_BITS);

        /* Add the multiple of m that makes the lowest limb 0, and drop that limb. */
        const rsa_limb times = (rsa_limb)((rsa_wide)sum[0] * m_negative_inverse);
        carry = ((rsa_wide)times * m[0] + sum[0]) >> RSA_LIMB_BITS;
        for (uint8_t j = 1; j < limbs; j++) {
            carry += (rsa_wide)times * m[j] + sum[j];
            sum[j - 1] = (rsa_limb)carry;
            carry >>= RSA_LIMB_BITS;
        }
        carry += sum[limbs];
        sum[limbs - 1] = (rsa_limb)carry;
        sum[limbs] = (rsa_limb)(sum[limbs + 1] + (rsa_limb)(carry >> RSA_LIMB_BITS));
    }
    if (sum[limbs] != 0 || rsa_compare(sum, m, limbs) >= 0) {
        rsa_subtract(r, sum, m, limbs);
    } else {
        memcpy(r, sum, limbs * sizeof *r);
    }
}

void rsa_power(rsa_limb *r, const rsa_limb *base, const rsa_limb *exponent,
               uint8_t exponent_limbs, const rsa_limb *m, uint8_t limbs)
{
    const rsa_limb m_negative_inverse = negative_inverse(m[0]);

    /* square = R^2 mod m, by doubling 1. */
    memset(square, 0, sizeof square);
    square[0] = 1;
    for (uint16_t i = 0; i < (uint16_t)(2 * RSA_LIMB_BITS) * limbs; i++) {
        if (rsa_add(square, square, square, limbs) != 0 || rsa_compare(square, m, limbs) >= 0) {
            rsa_subtract(square, square, m, limbs);
        }
    }
    /* factor = base R, result = 1 R. */
    product(factor, base, square, m, m_negative_inverse, limbs);
    memset(result, 0, sizeof result);
    result[0] = 1;
    product(result, result, square, m, m_negative_inverse, limbs);

    uint8_t started = 0;
    for (uint8_t i = exponent_limbs; i-- != 0;) {
        for (uint8_t bit = RSA_LIMB_BITS; bit-- != 0;) {
            if (started) {
                product(result, result, result, m, m_negative_inverse, limbs);
            }
            if (exponent[i] >> bit & 1) {
                product(result, result, factor, m, m_negative_inverse, limbs);
                started = 1;
            }
        }
    }
    /* Convert from Montgomery's form: multiply by 1, which divides by R. */
    memset(square, 0, sizeof square);
    square[0] = 1;
    product(r, result, square, m, m_negative_inverse, limbs);
}
