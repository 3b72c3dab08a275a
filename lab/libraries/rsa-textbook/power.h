/*
 * Powers modulo an odd number, by Montgomery multiplication. Not constant time.
 */
#ifndef RSA_TEXTBOOK_POWER_H
#define RSA_TEXTBOOK_POWER_H

#include "bignum.h"

/* r = base^exponent mod m, for odd m > 1 and base < m, both of `limbs` limbs. r
 * may be base or exponent. */
void rsa_power(rsa_limb *r, const rsa_limb *base, const rsa_limb *exponent,
               uint8_t exponent_limbs, const rsa_limb *m, uint8_t limbs);

#endif
