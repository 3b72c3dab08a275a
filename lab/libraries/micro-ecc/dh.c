/* micro-ecc's ECDH on P-256 in the lab. */
#include "keys.h"

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    return !uECC_valid_public_key(peer, uECC_secp256r1())
           || !uECC_shared_secret(peer, secret, shared, uECC_secp256r1());
}

#include "glue_dh.h"
