/*
 * Key generation: two primes, and the values that the Chinese remainder theorem needs.
 */
#include <string.h>

#include "generator.h"
#include "power.h"
#include "prime.h"
#include "rsa_textbook.h"

/* a b mod RSA_EXPONENT for a, b below it, without a product of 33 bits. */
static uint32_t multiply_small(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint8_t bit = 17; bit-- != 0;) {
        product = 2 * product + (b >> bit & 1 ? a : 0);
        product %= RSA_EXPONENT;
    }
    return product;
}

/*
 * d = 1 / e mod m for m = p - 1, where e = RSA_EXPONENT is prime: with
 * k = -1 / m mod e, 1 + k m is a multiple of e, and d = (1 + k m) / e.
 */
static void private_exponent(rsa_limb *d, const rsa_limb *p)
{
    const uint32_t m_mod_e =
        (rsa_modulo_small(p, RSA_HALF_LIMBS, RSA_EXPONENT) + RSA_EXPONENT - 1) % RSA_EXPONENT;
    /* 1 / m = m^(e - 2) mod e after Fermat, and e - 2 is sixteen ones in binary. */
    uint32_t inverse = 1;
    for (uint8_t bit = 0; bit < 16; bit++) {
        inverse = multiply_small(multiply_small(inverse, inverse), m_mod_e);
    }
    const uint32_t k = RSA_EXPONENT - inverse;

    /* The carry stays below k <= 2^16, so k limb + carry < 2^16 2^RSA_LIMB_BITS. */
    rsa_wide carry = 1;
    for (uint8_t i = 0; i < RSA_HALF_LIMBS; i++) {
        carry += (rsa_wide)k * (i == 0 ? p[0] - 1u : p[i]);
        d[i] = (rsa_limb)carry;
        carry >>= RSA_LIMB_BITS;
    }
    rsa_divide_small(d, RSA_HALF_LIMBS, (uint32_t)carry, RSA_EXPONENT);
}

void rsa_complete_key(void)
{
    static const rsa_limb two[RSA_HALF_LIMBS] = {2};
    static rsa_limb exponent[RSA_HALF_LIMBS];
    struct rsa_private_key *const key = &rsa_private;

    if (rsa_compare(key->p, key->q, RSA_HALF_LIMBS) < 0) {
        memcpy(exponent, key->p, sizeof exponent);
        memcpy(key->p, key->q, sizeof key->p);
        memcpy(key->q, exponent, sizeof key->q);
    }
    rsa_multiply(rsa_public.n, key->p, key->q, RSA_HALF_LIMBS);
    private_exponent(key->dp, key->p);
    private_exponent(key->dq, key->q);
    /* 1 / q = q^(p - 2) mod p after Fermat. */
    rsa_subtract(exponent, key->p, two, RSA_HALF_LIMBS);
    rsa_power(key->q_inverse, key->q, exponent, RSA_HALF_LIMBS, key->p, RSA_HALF_LIMBS);
}

void rsa_keygen(const uint8_t *seed, uint16_t seed_size)
{
    rsa_generator_seed(seed, seed_size);
    rsa_prime(rsa_private.p);
    do {
        rsa_prime(rsa_private.q);
    } while (rsa_compare(rsa_private.p, rsa_private.q, RSA_HALF_LIMBS) == 0);
    rsa_complete_key();
}
