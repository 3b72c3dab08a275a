/*
 * The public key of a secret: the base point u = 9 times the secret [RFC7748, 4.1, 6.1].
 */
#include <string.h>

#include "../../selo.h"
#include "x25519_base.h"
#include "x25519_ladder.h"

void selo_x25519_keygen(uint8_t public_key[32], const uint8_t secret[32])
{
#if !SELO_X25519_TABLE
    /* On the stack and set by hand: a constant would take 32 bytes of an AVR's RAM for ever. */
    uint8_t base[32];
    memset(base, 0, sizeof base);
    base[0] = 9;
    selo_x25519_ladder(public_key, secret, base);
#else
    selo_x25519_base(public_key, secret);
#endif
}
