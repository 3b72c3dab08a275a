/* OpenSSL's HKDF in the lab. */
#include "agent.h"
#include "names.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

static int lib_derive(uint8_t *out, uint16_t size, const struct agent_field *salt,
                      const struct agent_field *key, const struct agent_field *info)
{
    static EVP_KDF_CTX *state;
    OSSL_PARAM inputs[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, LAB_HASH_NAME, 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key->data, key->size),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info->data, info->size),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt->data, salt->size),
        OSSL_PARAM_construct_end(),
    };
    if (!salt->size)
        inputs[3] = OSSL_PARAM_construct_end();
    if (!state)
        state = EVP_KDF_CTX_new(EVP_KDF_fetch(NULL, "HKDF", NULL));
    EVP_KDF_CTX_reset(state);
    return EVP_KDF_derive(state, out, size, inputs) <= 0;
}

#include "glue_kdf.h"
