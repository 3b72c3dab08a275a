/* micro-ecc's ECDSA on P-256 in the lab. Verification does not check the public key, because a
 * program does that once, when it receives the key. */
#include "keys.h"

#include <string.h>

static uint8_t signing_key[32], verifying_key[PUBLIC_BYTES];

static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
{
    (void)public_key;
    memcpy(signing_key, secret, sizeof signing_key);
    return 0;
}

static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    return !uECC_sign(signing_key, message, size, signature, uECC_secp256r1());
}

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    (void)signature;
    memcpy(verifying_key, public_key, sizeof verifying_key);
    return !uECC_valid_public_key(verifying_key, uECC_secp256r1());
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    return !uECC_verify(verifying_key, message, size, signature, uECC_secp256r1());
}

#include "glue_signature.h"
