/* OpenSSL's signatures in the lab: Ed25519, and ECDSA on P-256. */
#include "keys.h"

static EVP_PKEY *key;

static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
{
    (void)public_key;
    EVP_PKEY_free(key);
    key = lab_private(secret);
    return !key;
}

#if AGENT_ALGORITHM_ED25519

static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    size_t signature_size = 64;
    EVP_MD_CTX *signing = EVP_MD_CTX_new();
    int failed = EVP_DigestSignInit(signing, NULL, NULL, NULL, key) <= 0
                 || EVP_DigestSign(signing, signature, &signature_size, message, size) <= 0;
    EVP_MD_CTX_free(signing);
    return failed;
}

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    (void)signature;
    EVP_PKEY_free(key);
    key = lab_public(public_key);
    return !key;
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    EVP_MD_CTX *verifying = EVP_MD_CTX_new();
    int failed = EVP_DigestVerifyInit(verifying, NULL, NULL, NULL, key) <= 0
                 || EVP_DigestVerify(verifying, signature, 64, message, size) <= 0;
    EVP_MD_CTX_free(verifying);
    return failed;
}

#else

/* EVP uses DER. The call includes the conversion of a signature to r and s. */
static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    uint8_t der[80];
    const uint8_t *at = der;
    size_t der_size = sizeof der;
    EVP_PKEY_CTX *signing = EVP_PKEY_CTX_new(key, NULL);
    int failed = EVP_PKEY_sign_init(signing) <= 0
                 || EVP_PKEY_sign(signing, der, &der_size, message, size) <= 0;
    EVP_PKEY_CTX_free(signing);
    ECDSA_SIG *parts = failed ? NULL : d2i_ECDSA_SIG(NULL, &at, (long)der_size);
    if (parts) {
        BN_bn2binpad(ECDSA_SIG_get0_r(parts), signature, 32);
        BN_bn2binpad(ECDSA_SIG_get0_s(parts), signature + 32, 32);
    }
    ECDSA_SIG_free(parts);
    return failed;
}

static uint8_t *der_signature;
static int der_signature_size;

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    EVP_PKEY_free(key);
    key = lab_public(public_key);
    ECDSA_SIG *parts = ECDSA_SIG_new();
    ECDSA_SIG_set0(parts, BN_bin2bn(signature, 32, NULL), BN_bin2bn(signature + 32, 32, NULL));
    OPENSSL_free(der_signature);
    der_signature = NULL;
    der_signature_size = i2d_ECDSA_SIG(parts, &der_signature);
    ECDSA_SIG_free(parts);
    return !key || der_signature_size <= 0;
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    (void)signature;
    EVP_PKEY_CTX *verifying = EVP_PKEY_CTX_new(key, NULL);
    int failed = EVP_PKEY_verify_init(verifying) <= 0
                 || EVP_PKEY_verify(verifying, der_signature, (size_t)der_signature_size, message,
                                    size) <= 0;
    EVP_PKEY_CTX_free(verifying);
    return failed;
}

#endif

#include "glue_signature.h"
