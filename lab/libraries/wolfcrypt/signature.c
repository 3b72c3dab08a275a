/* wolfCrypt's signatures in the lab: Ed25519, and ECDSA on P-256, deterministic [RFC6979]. */
#include "random.h"

#include <string.h>

#if AGENT_ALGORITHM_ED25519

#include <wolfssl/wolfcrypt/ed25519.h>

enum { PUBLIC_BYTES = 32 };

static ed25519_key key;

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    wc_ed25519_init(&key);
    return wc_ed25519_import_private_only(secret, 32, &key)
           || wc_ed25519_make_public(&key, public_key, PUBLIC_BYTES);
}

static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
{
    wc_ed25519_init(&key);
    return wc_ed25519_import_private_key(secret, 32, public_key, PUBLIC_BYTES, &key);
}

static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    word32 out_size = ED25519_SIG_SIZE;
    return wc_ed25519_sign_msg(message, size, signature, &out_size, &key);
}

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    (void)signature;
    wc_ed25519_init(&key);
    return wc_ed25519_import_public(public_key, PUBLIC_BYTES, &key);
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    int valid = 0;
    return wc_ed25519_verify_msg(signature, ED25519_SIG_SIZE, message, size, &valid, &key) || !valid;
}

#else

#include <wolfssl/wolfcrypt/ecc.h>

enum { PUBLIC_BYTES = 64 };

static WC_RNG lab_rng;
static ecc_key key;
static mp_int r, s;

static void lab_begin(void)
{
    wc_ecc_free(&key);
    wc_ecc_init(&key);
    mp_init(&r);
    mp_init(&s);
}
#define GLUE_BEGIN() lab_begin()

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    uint8_t point[1 + PUBLIC_BYTES];
    word32 size = sizeof point;
    int failed = wc_ecc_import_private_key_ex(secret, 32, NULL, 0, &key, ECC_SECP256R1);
    if (!failed)
        failed = wc_ecc_make_pub_ex(&key, NULL, &lab_rng);
    if (!failed)
        failed = wc_ecc_export_x963(&key, point, &size);
    memcpy(public_key, point + 1, PUBLIC_BYTES);
    return failed;
}

static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
{
    (void)public_key;
    return wc_ecc_import_private_key_ex(secret, 32, NULL, 0, &key, ECC_SECP256R1)
           || wc_ecc_set_deterministic(&key, 1);
}

static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    return wc_ecc_sign_hash_ex(message, size, &lab_rng, &key, &r, &s)
           || mp_to_unsigned_bin_len(&r, signature, 32)
           || mp_to_unsigned_bin_len(&s, signature + 32, 32);
}

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    uint8_t point[1 + PUBLIC_BYTES];
    point[0] = 4;
    memcpy(point + 1, public_key, PUBLIC_BYTES);
    return wc_ecc_import_x963_ex(point, sizeof point, &key, ECC_SECP256R1)
           || mp_read_unsigned_bin(&r, signature, 32) || mp_read_unsigned_bin(&s, signature + 32, 32);
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    int valid = 0;
    (void)signature;
    return wc_ecc_verify_hash_ex(&r, &s, message, size, &valid, &key) || !valid;
}

#endif

#include "glue_signature.h"
