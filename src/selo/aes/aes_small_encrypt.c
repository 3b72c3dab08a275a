/* AES small encrypts as AES tiny does, because its `first` is the key. */
#include "aes.h"

void selo_aes128_small_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    selo_aes128_tiny_block(((const struct selo_aes128_small *)key)->first, out, in);
}

void selo_aes192_small_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    aes_encrypt_with_key(((const struct selo_aes192_small *)key)->first, out, in, 24);
}

void selo_aes256_small_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    aes_encrypt_with_key(((const struct selo_aes256_small *)key)->first, out, in, 32);
}
