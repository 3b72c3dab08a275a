/* libsodium's X25519 in the lab. */
#include <crypto_scalarmult_curve25519.h>
#include <stdint.h>

enum { PUBLIC_BYTES = 32 };

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    return crypto_scalarmult_curve25519_base(public_key, secret);
}

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    return crypto_scalarmult_curve25519(shared, secret, peer);
}

#include "glue_dh.h"
