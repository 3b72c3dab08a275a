/* OpenSSL's AES in the lab, one block in each call. */
#include "names.h"

#include <stdint.h>

static EVP_CIPHER_CTX *encrypting, *decrypting;

static void lib_set_up_encrypt(const uint8_t *raw)
{
    if (!encrypting)
        encrypting = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(encrypting, LAB_AES(ecb), NULL, raw, NULL);
    EVP_CIPHER_CTX_set_padding(encrypting, 0);
}

static void lib_set_up_decrypt(const uint8_t *raw)
{
    if (!decrypting)
        decrypting = EVP_CIPHER_CTX_new();
    EVP_DecryptInit_ex(decrypting, LAB_AES(ecb), NULL, raw, NULL);
    EVP_CIPHER_CTX_set_padding(decrypting, 0);
}

static void lib_encrypt(uint8_t *out, const uint8_t *in)
{
    int size;
    EVP_EncryptUpdate(encrypting, out, &size, in, 16);
}

static void lib_decrypt(uint8_t *out, const uint8_t *in)
{
    int size;
    EVP_DecryptUpdate(decrypting, out, &size, in, 16);
}

#include "glue_block.h"
