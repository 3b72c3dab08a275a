/* BearSSL's ECDSA on P-256 in the lab, deterministic [RFC6979]. LAB_EC is an implementation of
 * the curve; LAB_ECDSA(name) gives a name of an implementation of the scheme. */
#include <bearssl_ec.h>
#include <string.h>

enum { PUBLIC_BYTES = 64 };

static uint8_t signing_key[32], point[1 + PUBLIC_BYTES];

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    size_t size = LAB_EC.mulgen(point, secret, 32, BR_EC_secp256r1);
    memcpy(public_key, point + 1, PUBLIC_BYTES);
    return size != sizeof point;
}

static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
{
    (void)public_key;
    memcpy(signing_key, secret, sizeof signing_key);
    return 0;
}

static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    br_ec_private_key key = {BR_EC_secp256r1, signing_key, sizeof signing_key};
    return size != br_sha256_SIZE
           || LAB_ECDSA(sign_raw)(&LAB_EC, &br_sha256_vtable, message, &key, signature) != 64;
}

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    (void)signature;
    point[0] = 4;
    memcpy(point + 1, public_key, PUBLIC_BYTES);
    return 0;
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    br_ec_public_key key = {BR_EC_secp256r1, point, sizeof point};
    return !LAB_ECDSA(vrfy_raw)(&LAB_EC, message, size, &key, signature, 64);
}

#include "glue_signature.h"
