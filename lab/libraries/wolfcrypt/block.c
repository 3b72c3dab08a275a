/* wolfCrypt's AES in the lab, one block in each call. */
#include <stdint.h>
#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/aes.h>

static Aes encrypting, decrypting;

static void lib_set_up_encrypt(const uint8_t *raw)
{
    wc_AesSetKeyDirect(&encrypting, raw, AGENT_KEY_BYTES, NULL, AES_ENCRYPTION);
}

static void lib_set_up_decrypt(const uint8_t *raw)
{
    wc_AesSetKeyDirect(&decrypting, raw, AGENT_KEY_BYTES, NULL, AES_DECRYPTION);
}

static void lib_encrypt(uint8_t *out, const uint8_t *in) { wc_AesEncryptDirect(&encrypting, out, in); }
static void lib_decrypt(uint8_t *out, const uint8_t *in) { wc_AesDecryptDirect(&decrypting, out, in); }

#include "glue_block.h"
