/* Monocypher's X25519 in the lab. */
#include <monocypher.h>

enum { PUBLIC_BYTES = 32 };

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    crypto_x25519_public_key(public_key, secret);
    return 0;
}

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    crypto_x25519(shared, secret, peer);
    return 0;
}

#include "glue_dh.h"
