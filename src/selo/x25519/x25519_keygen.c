/*
 * The public key of a secret: the ladder from the base point u = 9 [RFC7748, 4.1, 6.1].
 */
#include "../../selo.h"
#include "x25519_ladder.h"

void selo_x25519_keygen(uint8_t public_key[32], const uint8_t secret[32])
{
    static const uint8_t base[32] = {9};
    selo_x25519_ladder(public_key, secret, base);
}
