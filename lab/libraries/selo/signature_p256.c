/* Selo's ECDSA on P-256 in the lab. It signs a digest. Verification includes the check of the public key. */
#include "selo_p256.h"

#include <string.h>

enum { PUBLIC_BYTES = 64, SECRET_BYTES = 32 };

static uint8_t signing[SECRET_BYTES], verifying[PUBLIC_BYTES];

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    return selo_p256_keygen(public_key, secret);
}

static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
{
    (void)public_key;
    memcpy(signing, secret, sizeof signing);
    return 0;
}

static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    return size != 32 ? SELO_ERROR_ARGUMENT : selo_p256_sign_digest(signature, signing, message);
}

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    (void)signature;
    memcpy(verifying, public_key, sizeof verifying);
    return 0;
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    return size != 32 ? SELO_ERROR_ARGUMENT : selo_p256_verify_digest(signature, verifying, message);
}

#include "glue_signature.h"
