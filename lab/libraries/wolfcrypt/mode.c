/* wolfCrypt's AES in ECB, CBC and CTR in the lab. */
#include "glue_mode.h"

#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/aes.h>

static Aes encrypting;

static void lib_set_up_encrypt(const uint8_t *raw)
{
    wc_AesSetKeyDirect(&encrypting, raw, AGENT_KEY_BYTES, NULL, AES_ENCRYPTION);
}

#if !GLUE_CTR
static Aes decrypting;

static void lib_set_up_decrypt(const uint8_t *raw)
{
    wc_AesSetKeyDirect(&decrypting, raw, AGENT_KEY_BYTES, NULL, AES_DECRYPTION);
}
#endif

#if GLUE_ECB

static void lib_ecb(bool encrypts, uint8_t *out, const uint8_t *in, agent_size size)
{
    if (encrypts)
        wc_AesEcbEncrypt(&encrypting, out, in, size);
    else
        wc_AesEcbDecrypt(&decrypting, out, in, size);
}

#elif GLUE_CBC

static void lib_cbc(bool encrypts, uint8_t *iv, uint8_t *data, agent_size size)
{
    Aes *key = encrypts ? &encrypting : &decrypting;
    wc_AesSetIV(key, iv);
    if (encrypts)
        wc_AesCbcEncrypt(key, data, data, size);
    else
        wc_AesCbcDecrypt(key, data, data, size);
}

#else

static void lib_ctr(uint8_t *counter, uint8_t *out, const uint8_t *in, agent_size size)
{
    wc_AesSetIV(&encrypting, counter);
    encrypting.left = 0; /* nothing of the stream before it */
    wc_AesCtrEncrypt(&encrypting, out, in, size);
}

#endif

#include "glue_mode_operations.h"
