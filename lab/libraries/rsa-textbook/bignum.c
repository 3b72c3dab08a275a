/*
 * Schoolbook arithmetic on natural numbers.
 */
#include "bignum.h"

#include <string.h>

void rsa_from_bytes(rsa_limb *r, const uint8_t *bytes, uint8_t limbs)
{
    for (uint8_t i = limbs; i-- != 0;) {
        rsa_limb limb = 0;
        for (uint8_t j = 0; j < sizeof limb; j++) {
            limb = (rsa_limb)(limb << 8 | *bytes++);
        }
        r[i] = limb;
    }
}

void rsa_to_bytes(uint8_t *bytes, const rsa_limb *a, uint8_t limbs)
{
    for (uint8_t i = limbs; i-- != 0;) {
        for (uint8_t shift = RSA_LIMB_BITS; shift != 0; shift = (uint8_t)(shift - 8)) {
            *bytes++ = (uint8_t)(a[i] >> (shift - 8));
        }
    }
}

int8_t rsa_compare(const rsa_limb *a, const rsa_limb *b, uint8_t limbs)
{
    while (limbs-- != 0) {
        if (a[limbs] != b[limbs]) {
            return a[limbs] < b[limbs] ? -1 : 1;
        }
    }
    return 0;
}

rsa_limb rsa_add(rsa_limb *r, const rsa_limb *a, const rsa_limb *b, uint8_t limbs)
{
    rsa_wide sum = 0;
    for (uint8_t i = 0; i < limbs; i++) {
        sum += (rsa_wide)a[i] + b[i];
        r[i] = (rsa_limb)sum;
        sum >>= RSA_LIMB_BITS;
    }
    return (rsa_limb)sum;
}

rsa_limb rsa_subtract(rsa_limb *r, const rsa_limb *a, const rsa_limb *b, uint8_t limbs)
{
    rsa_limb borrow = 0;
    for (uint8_t i = 0; i < limbs; i++) {
        const rsa_wide difference = (rsa_wide)a[i] - b[i] - borrow;
        r[i] = (rsa_limb)difference;
        borrow = (rsa_limb)(difference >> RSA_LIMB_BITS) & 1;
    }
    return borrow;
}

void rsa_multiply(rsa_limb *r, const rsa_limb *a, const rsa_limb *b, uint8_t limbs)
{
    memset(r, 0, 2 * (size_t)limbs * sizeof *r);
    for (uint8_t i = 0; i < limbs; i++) {
        rsa_wide sum = 0;
        for (uint8_t j = 0; j < limbs; j++) {
            sum += (rsa_wide)a[i] * b[j] + r[i + j];
            r[i + j] = (rsa_limb)sum;
            sum >>= RSA_LIMB_BITS;
        }
        r[i + limbs] = (rsa_limb)sum;
    }
}

void rsa_modulo(rsa_limb *r, const rsa_limb *a, uint8_t a_limbs,
                const rsa_limb *m, uint8_t limbs)
{
    memset(r, 0, limbs * sizeof *r);
    for (uint8_t i = a_limbs; i-- != 0;) {
        for (uint8_t bit = RSA_LIMB_BITS; bit-- != 0;) {
            const rsa_limb over = rsa_add(r, r, r, limbs);
            r[0] = (rsa_limb)(r[0] | (a[i] >> bit & 1));
            if (over != 0 || rsa_compare(r, m, limbs) >= 0) {
                rsa_subtract(r, r, m, limbs);
            }
        }
    }
}

/* Divides limb by limb, and each limb byte by byte, so that a dividend stays below 2^32. */
static rsa_limb divide_limb(uint32_t *remainder, rsa_limb limb, uint32_t d)
{
    rsa_limb quotient = 0;
    for (uint8_t shift = RSA_LIMB_BITS; shift != 0; shift = (uint8_t)(shift - 8)) {
        const uint32_t dividend = *remainder << 8 | (uint8_t)(limb >> (shift - 8));
        quotient = (rsa_limb)((rsa_limb)(quotient << 8) | (rsa_limb)(dividend / d));
        *remainder = dividend % d;
    }
    return quotient;
}

uint32_t rsa_modulo_small(const rsa_limb *a, uint8_t limbs, uint32_t d)
{
    uint32_t remainder = 0;
    while (limbs-- != 0) {
        divide_limb(&remainder, a[limbs], d);
    }
    return remainder;
}

uint32_t rsa_divide_small(rsa_limb *a, uint8_t limbs, uint32_t high, uint32_t d)
{
    while (limbs-- != 0) {
        a[limbs] = divide_limb(&high, a[limbs], d);
    }
    return high;
}
