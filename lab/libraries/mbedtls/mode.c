/* Mbed TLS's AES-CBC and AES-CTR in the lab. */
#include "glue_mode.h"

#include <mbedtls/aes.h>
#include <string.h>

static mbedtls_aes_context encrypting;

static void lib_set_up_encrypt(const uint8_t *raw)
{
    mbedtls_aes_setkey_enc(&encrypting, raw, AGENT_KEY_BYTES * 8);
}

#if GLUE_CBC
static mbedtls_aes_context decrypting;

static void lib_set_up_decrypt(const uint8_t *raw)
{
    mbedtls_aes_setkey_dec(&decrypting, raw, AGENT_KEY_BYTES * 8);
}

static void lib_cbc(bool encrypts, uint8_t *iv, uint8_t *data, agent_size size)
{
    if (encrypts)
        mbedtls_aes_crypt_cbc(&encrypting, MBEDTLS_AES_ENCRYPT, size, iv, data, data);
    else
        mbedtls_aes_crypt_cbc(&decrypting, MBEDTLS_AES_DECRYPT, size, iv, data, data);
}

#elif GLUE_CTR

static void lib_ctr(uint8_t *counter, uint8_t *out, const uint8_t *in, agent_size size)
{
    size_t offset = 0;
    uint8_t stream[16];
    mbedtls_aes_crypt_ctr(&encrypting, size, &offset, counter, stream, in, out);
}
#endif

#include "glue_mode_operations.h"
