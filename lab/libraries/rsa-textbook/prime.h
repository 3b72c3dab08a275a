/*
 * Prime numbers of RSA_BITS / 2 bits.
 */
#ifndef RSA_TEXTBOOK_PRIME_H
#define RSA_TEXTBOOK_PRIME_H

#include "bignum.h"

/* Draws a prime with its two highest bits set from the generator; p - 1 is no
 * multiple of 65537. */
void rsa_prime(rsa_limb p[RSA_HALF_LIMBS]);

/* 1 if a is prime, up to an error of 4^-8 at most, else 0. a is odd and
 * above 2^256. */
uint8_t rsa_is_prime(const rsa_limb a[RSA_HALF_LIMBS]);

#endif
