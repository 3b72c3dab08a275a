/* Selo's Ed25519 in the lab. */
#include "selo_ed25519.h"

#include <string.h>

enum { PUBLIC_BYTES = 32 };

static struct selo_ed25519_key key;

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    selo_ed25519_keygen(&key, secret);
    memcpy(public_key, key.public_key, PUBLIC_BYTES);
    return 0;
}

static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
{
    memcpy(key.seed, secret, sizeof key.seed);
    memcpy(key.public_key, public_key, PUBLIC_BYTES);
    return 0;
}

static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    selo_ed25519_sign(signature, &key, message, size);
    return 0;
}

static uint8_t verifying[PUBLIC_BYTES];

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    (void)signature;
    memcpy(verifying, public_key, PUBLIC_BYTES);
    return 0;
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    return selo_ed25519_verify(signature, verifying, message, size);
}

#include "glue_signature.h"
