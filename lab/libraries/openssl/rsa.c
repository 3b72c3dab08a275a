/* OpenSSL's RSA-2048 in the lab: OAEP with SHA-256. Its random numbers are the system's. */
#include "agent.h"
#include "glue_rsa.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

static EVP_PKEY *pair;

static int lib_keygen(void)
{
    EVP_PKEY_free(pair);
    pair = EVP_RSA_gen(GLUE_RSA_BITS);
    return !pair;
}

static void lib_public_key(uint8_t *modulus)
{
    BIGNUM *n = NULL;
    EVP_PKEY_get_bn_param(pair, OSSL_PKEY_PARAM_RSA_N, &n);
    BN_bn2binpad(n, modulus, GLUE_MODULUS);
    BN_free(n);
}

static int oaep(EVP_PKEY_CTX *call)
{
    return EVP_PKEY_CTX_set_rsa_padding(call, RSA_PKCS1_OAEP_PADDING) <= 0
           || EVP_PKEY_CTX_set_rsa_oaep_md(call, EVP_sha256()) <= 0;
}

static int lib_encrypt(uint8_t *out, const uint8_t *message, uint16_t size)
{
    size_t out_size = GLUE_MODULUS;
    EVP_PKEY_CTX *call = EVP_PKEY_CTX_new(pair, NULL);
    int failed = EVP_PKEY_encrypt_init(call) <= 0 || oaep(call)
                 || EVP_PKEY_encrypt(call, out, &out_size, message, size) <= 0;
    EVP_PKEY_CTX_free(call);
    return failed;
}

static int lib_decrypt(uint8_t *out, uint16_t *size, const uint8_t *ciphertext)
{
    size_t out_size = GLUE_MODULUS;
    EVP_PKEY_CTX *call = EVP_PKEY_CTX_new(pair, NULL);
    int failed = EVP_PKEY_decrypt_init(call) <= 0 || oaep(call)
                 || EVP_PKEY_decrypt(call, out, &out_size, ciphertext, GLUE_MODULUS) <= 0;
    EVP_PKEY_CTX_free(call);
    *size = (uint16_t)out_size;
    return failed;
}

#include "glue_public_key.h"
