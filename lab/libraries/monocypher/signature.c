/* Monocypher's Ed25519 in the lab. It keeps a secret together with its public key. */
#include <monocypher-ed25519.h>
#include <string.h>

enum { PUBLIC_BYTES = 32 };

static uint8_t secret_key[64], verifying_key[32];

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    uint8_t seed[32];
    memcpy(seed, secret, sizeof seed); /* the library wipes it */
    crypto_ed25519_key_pair(secret_key, public_key, seed);
    return 0;
}

static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
{
    memcpy(secret_key, secret, 32);
    memcpy(secret_key + 32, public_key, 32);
    return 0;
}

static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    crypto_ed25519_sign(signature, secret_key, message, size);
    return 0;
}

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    (void)signature;
    memcpy(verifying_key, public_key, 32);
    return 0;
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    return crypto_ed25519_check(signature, verifying_key, message, size);
}

#include "glue_signature.h"
