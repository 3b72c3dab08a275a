/* OpenSSL's hashes in the lab, and HMAC over them. */
#include "names.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <stdint.h>

enum { DIGEST_BYTES = LAB_DIGEST };

#if AGENT_ALGORITHM_HMAC_SHA_256 || AGENT_ALGORITHM_HMAC_SHA_512 || AGENT_ALGORITHM_HMAC_SHA3_256    \
    || AGENT_ALGORITHM_HMAC_SHA3_512 || AGENT_ALGORITHM_HMAC_BLAKE2S

#define GLUE_MAC 1
static EVP_MAC_CTX *state;

/* A program fetches the MAC only once. */
static void lib_start(const uint8_t *key, uint16_t key_size)
{
    static uint8_t none[1];
    OSSL_PARAM hash[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, LAB_HASH_NAME, 0),
        OSSL_PARAM_construct_end(),
    };
    if (!state)
        state = EVP_MAC_CTX_new(EVP_MAC_fetch(NULL, "HMAC", NULL));
    EVP_MAC_init(state, key_size ? key : none, key_size, hash);
}

static void lib_update(const uint8_t *data, uint16_t size) { EVP_MAC_update(state, data, size); }
static void lib_finish(uint8_t *out)
{
    size_t size;
    EVP_MAC_final(state, out, &size, DIGEST_BYTES);
}

#else

static EVP_MD_CTX *state;

static void lib_start(void)
{
    if (!state)
        state = EVP_MD_CTX_new();
    EVP_DigestInit_ex(state, LAB_HASH, NULL);
}
static void lib_update(const uint8_t *data, uint16_t size) { EVP_DigestUpdate(state, data, size); }
static void lib_finish(uint8_t *out) { EVP_DigestFinal_ex(state, out, NULL); }

#endif

#include "glue_digest.h"
