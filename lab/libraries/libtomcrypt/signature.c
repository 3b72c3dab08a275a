/* LibTomCrypt's ECDSA on P-256 in the lab. */
#include "point.h"

static ecc_key signing, verifying;

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    uint8_t point[1 + PUBLIC_BYTES];
    unsigned long size = sizeof point;
    int failed = lab_pair(&signing, secret) || ecc_ansi_x963_export(&signing, point, &size);
    memcpy(public_key, point + 1, PUBLIC_BYTES);
    return failed;
}

static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
{
    (void)public_key;
    return lab_pair(&signing, secret);
}

static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    unsigned long signature_size = 64;
    return ecc_sign_hash_rfc7518(message, size, signature, &signature_size, &lab_prng,
                                 lab_prng_index, &signing);
}

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    uint8_t point[1 + PUBLIC_BYTES];
    (void)signature;
    point[0] = 4;
    memcpy(point + 1, public_key, PUBLIC_BYTES);
    if (verifying.k)
        ecc_free(&verifying);
    return ecc_ansi_x963_import(point, sizeof point, &verifying);
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    int valid = 0;
    return ecc_verify_hash_rfc7518(signature, 64, message, size, &valid, &verifying) || !valid;
}

#include "glue_signature.h"
