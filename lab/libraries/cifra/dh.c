/* Cifra's X25519 in the lab. */
#include <curve25519.h>

enum { PUBLIC_BYTES = 32 };

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    cf_curve25519_mul_base(public_key, secret);
    return 0;
}

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    cf_curve25519_mul(shared, secret, peer);
    return 0;
}

#include "glue_dh.h"
