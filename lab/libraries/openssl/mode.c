/* OpenSSL's AES in ECB, CBC and CTR in the lab. */
#include "glue_mode.h"
#include "names.h"

#if GLUE_ECB
#define LAB_MODE LAB_AES(ecb)
#elif GLUE_CBC
#define LAB_MODE LAB_AES(cbc)
#else
#define LAB_MODE LAB_AES(ctr)
#endif

static EVP_CIPHER_CTX *encrypting;

static void lib_set_up_encrypt(const uint8_t *raw)
{
    if (!encrypting)
        encrypting = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(encrypting, LAB_MODE, NULL, raw, NULL);
    EVP_CIPHER_CTX_set_padding(encrypting, 0);
}

#if GLUE_CTR

static void lib_ctr(uint8_t *counter, uint8_t *out, const uint8_t *in, agent_size size)
{
    int written;
    EVP_EncryptInit_ex(encrypting, NULL, NULL, NULL, counter);
    EVP_EncryptUpdate(encrypting, out, &written, in, size);
}

#else

static EVP_CIPHER_CTX *decrypting;

static void lib_set_up_decrypt(const uint8_t *raw)
{
    if (!decrypting)
        decrypting = EVP_CIPHER_CTX_new();
    EVP_DecryptInit_ex(decrypting, LAB_MODE, NULL, raw, NULL);
    EVP_CIPHER_CTX_set_padding(decrypting, 0);
}

#if GLUE_ECB

static void lib_ecb(bool encrypts, uint8_t *out, const uint8_t *in, agent_size size)
{
    int written;
    EVP_CipherUpdate(encrypts ? encrypting : decrypting, out, &written, in, size);
}

#else

static void lib_cbc(bool encrypts, uint8_t *iv, uint8_t *data, agent_size size)
{
    EVP_CIPHER_CTX *key = encrypts ? encrypting : decrypting;
    int written;
    EVP_CipherInit_ex(key, NULL, NULL, NULL, iv, -1);
    EVP_CipherUpdate(key, data, &written, data, size);
}

#endif
#endif

#include "glue_mode_operations.h"
