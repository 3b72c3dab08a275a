/* wolfCrypt's key agreements in the lab: X25519 and ECDH on P-256. */
#include "random.h"

#include <string.h>

#if AGENT_ALGORITHM_X25519

#include <wolfssl/wolfcrypt/curve25519.h>

enum { PUBLIC_BYTES = 32 };

/* The library takes only clamped secrets. It refuses a peer's coordinate whose highest bit is set,
 * instead of masking that bit [RFC7748, 5]. */
static void clamped(uint8_t out[32], const uint8_t *secret)
{
    memcpy(out, secret, 32);
    out[0] &= 248;
    out[31] = (uint8_t)((out[31] & 127) | 64);
}

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    uint8_t scalar[32];
    clamped(scalar, secret);
    return wc_curve25519_make_pub(32, public_key, 32, scalar);
}

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    static curve25519_key own, other;
    uint8_t scalar[32], point[32];
    word32 size = 32;
    clamped(scalar, secret);
    wc_curve25519_init(&own);
    wc_curve25519_init(&other);
    memcpy(point, peer, 32);
    point[31] &= 127;
    int failed = wc_curve25519_import_private_ex(scalar, 32, &own, EC25519_LITTLE_ENDIAN);
    if (!failed)
        failed = wc_curve25519_import_public_ex(point, 32, &other, EC25519_LITTLE_ENDIAN);
    if (!failed)
        failed = wc_curve25519_shared_secret_ex(&own, &other, shared, &size, EC25519_LITTLE_ENDIAN);
    wc_curve25519_free(&own);
    return failed;
}

#else

#include <wolfssl/wolfcrypt/ecc.h>

enum { PUBLIC_BYTES = 64 };

static WC_RNG lab_rng;

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    static ecc_key key;
    uint8_t point[1 + PUBLIC_BYTES];
    word32 size = sizeof point;
    wc_ecc_init(&key);
    int failed = wc_ecc_import_private_key_ex(secret, 32, NULL, 0, &key, ECC_SECP256R1);
    if (!failed)
        failed = wc_ecc_make_pub_ex(&key, NULL, &lab_rng);
    if (!failed)
        failed = wc_ecc_export_x963(&key, point, &size);
    memcpy(public_key, point + 1, PUBLIC_BYTES);
    wc_ecc_free(&key);
    return failed;
}

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    static ecc_key own, other;
    uint8_t point[1 + PUBLIC_BYTES];
    word32 size = 32;
    point[0] = 4;
    memcpy(point + 1, peer, PUBLIC_BYTES);
    wc_ecc_init(&own);
    wc_ecc_init(&other);
    int failed = wc_ecc_import_private_key_ex(secret, 32, NULL, 0, &own, ECC_SECP256R1);
    if (!failed)
        failed = wc_ecc_import_x963_ex(point, sizeof point, &other, ECC_SECP256R1);
    if (!failed)
        failed = wc_ecc_set_rng(&own, &lab_rng);
    if (!failed)
        failed = wc_ecc_shared_secret(&own, &other, shared, &size);
    wc_ecc_free(&own);
    wc_ecc_free(&other);
    return failed;
}

#endif

#include "glue_dh.h"
