/* Mbed TLS's AES in the lab, one block in each call. */
#include <mbedtls/aes.h>
#include <stdint.h>

static mbedtls_aes_context encrypting, decrypting;

static void lib_set_up_encrypt(const uint8_t *raw)
{
    mbedtls_aes_setkey_enc(&encrypting, raw, AGENT_KEY_BYTES * 8);
}

static void lib_set_up_decrypt(const uint8_t *raw)
{
    mbedtls_aes_setkey_dec(&decrypting, raw, AGENT_KEY_BYTES * 8);
}

static void lib_encrypt(uint8_t *out, const uint8_t *in)
{
    mbedtls_aes_crypt_ecb(&encrypting, MBEDTLS_AES_ENCRYPT, in, out);
}

static void lib_decrypt(uint8_t *out, const uint8_t *in)
{
    mbedtls_aes_crypt_ecb(&decrypting, MBEDTLS_AES_DECRYPT, in, out);
}

#include "glue_block.h"
