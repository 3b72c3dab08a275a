/* Mbed TLS's authenticated ciphers in the lab. */
#include "glue_aead.h"

#include <mbedtls/ccm.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/gcm.h>

#if GLUE_GCM

static mbedtls_gcm_context key;

static int lib_set_up(const uint8_t *raw)
{
    return mbedtls_gcm_setkey(&key, MBEDTLS_CIPHER_ID_AES, raw, AGENT_KEY_BYTES * 8);
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    return mbedtls_gcm_crypt_and_tag(&key, MBEDTLS_GCM_ENCRYPT, m->size, m->nonce, m->nonce_size,
                                     m->ad, m->ad_size, m->in, out, m->tag_size, tag);
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    return mbedtls_gcm_auth_decrypt(&key, m->size, m->nonce, m->nonce_size, m->ad, m->ad_size,
                                    tag, m->tag_size, m->in, out);
}

#elif GLUE_CCM

static mbedtls_ccm_context key;

static int lib_set_up(const uint8_t *raw)
{
    return mbedtls_ccm_setkey(&key, MBEDTLS_CIPHER_ID_AES, raw, AGENT_KEY_BYTES * 8);
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    return mbedtls_ccm_encrypt_and_tag(&key, m->size, m->nonce, m->nonce_size, m->ad, m->ad_size,
                                       m->in, out, tag, m->tag_size);
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    return mbedtls_ccm_auth_decrypt(&key, m->size, m->nonce, m->nonce_size, m->ad, m->ad_size,
                                    m->in, out, tag, m->tag_size);
}

#else

static mbedtls_chachapoly_context key;

static int lib_set_up(const uint8_t *raw)
{
    mbedtls_chachapoly_init(&key);
    return mbedtls_chachapoly_setkey(&key, raw);
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    return mbedtls_chachapoly_encrypt_and_tag(&key, m->size, m->nonce, m->ad, m->ad_size, m->in,
                                              out, tag);
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    return mbedtls_chachapoly_auth_decrypt(&key, m->size, m->nonce, m->ad, m->ad_size, tag,
                                           m->in, out);
}

#endif

#include "glue_aead_operations.h"
