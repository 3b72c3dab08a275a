/*
 * The search for a prime: random odd numbers, trial division by small primes,
 * then Miller-Rabin [RABIN1980].
 */
#include "prime.h"

#include <string.h>

#include "generator.h"
#include "power.h"
#include "rsa_textbook.h"

enum { ROUNDS = 8 };

static rsa_limb witness[RSA_HALF_LIMBS], minus_1[RSA_HALF_LIMBS], odd_part[RSA_HALF_LIMBS];

static uint8_t has_small_factor(const rsa_limb *a)
{
    /* The odd primes below 256. */
    static const uint8_t primes[] = {
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89,
        97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181,
        191, 193, 197, 199, 211, 223, 227, 229, 233, 239, 241, 251};
    for (uint8_t i = 0; i < sizeof primes; i++) {
        if (rsa_modulo_small(a, RSA_HALF_LIMBS, primes[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static void halve(rsa_limb *a)
{
    for (uint8_t i = 0; i < RSA_HALF_LIMBS - 1; i++) {
        a[i] = (rsa_limb)(a[i] >> 1 | (rsa_wide)a[i + 1] << (RSA_LIMB_BITS - 1));
    }
    a[RSA_HALF_LIMBS - 1] >>= 1;
}

static uint8_t is_one(const rsa_limb *a)
{
    rsa_limb rest = a[0] ^ 1;
    for (uint8_t i = 1; i < RSA_HALF_LIMBS; i++) {
        rest |= a[i];
    }
    return rest == 0;
}

/* With a - 1 = 2^twos odd_part: is witness^odd_part 1, or -1 after fewer than twos squarings? */
static uint8_t passes(const rsa_limb *a, uint16_t twos)
{
    static const rsa_limb two[1] = {2};

    rsa_power(witness, witness, odd_part, RSA_HALF_LIMBS, a, RSA_HALF_LIMBS);
    if (is_one(witness)) {
        return 1;
    }
    for (;;) {
        if (rsa_compare(witness, minus_1, RSA_HALF_LIMBS) == 0) {
            return 1;
        }
        if (--twos == 0) {
            return 0;
        }
        rsa_power(witness, witness, two, 1, a, RSA_HALF_LIMBS);
    }
}

uint8_t rsa_is_prime(const rsa_limb a[RSA_HALF_LIMBS])
{
    uint16_t twos = 0;

    if (has_small_factor(a)) {
        return 0;
    }
    memcpy(minus_1, a, sizeof minus_1);
    minus_1[0] ^= 1;
    memcpy(odd_part, minus_1, sizeof odd_part);
    do {
        halve(odd_part);
        twos++;
    } while ((odd_part[0] & 1) == 0);

    for (uint8_t round = 0; round < ROUNDS; round++) {
        /* Any base from 2 to a - 2 serves; a random one of 32 bytes is far below a. */
        memset(witness, 0, sizeof witness);
        rsa_generator_fill((uint8_t *)witness, 32);
        witness[0] |= 2;
        if (!passes(a, twos)) {
            return 0;
        }
    }
    return 1;
}

void rsa_prime(rsa_limb p[RSA_HALF_LIMBS])
{
    do {
        rsa_generator_fill((uint8_t *)p, RSA_HALF_LIMBS * sizeof p[0]);
        p[0] |= 1;
        p[RSA_HALF_LIMBS - 1] |= (rsa_limb)3 << (RSA_LIMB_BITS - 2);
    } while (rsa_modulo_small(p, RSA_HALF_LIMBS, RSA_EXPONENT) == 1 || !rsa_is_prime(p));
}
