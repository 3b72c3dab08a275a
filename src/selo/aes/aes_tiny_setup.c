/* AES tiny keeps only the key. */
#include "aes.h"

#if !SELO_NATIVE_AES || !SELO_BACKEND_AVR

#include <string.h>

void selo_aes128_tiny_setup(struct selo_aes128_tiny *key, const uint8_t raw[16])
{
    memcpy(key->key, raw, sizeof key->key);
}

void selo_aes192_tiny_setup(struct selo_aes192_tiny *key, const uint8_t raw[24])
{
    memcpy(key->key, raw, sizeof key->key);
}

void selo_aes256_tiny_setup(struct selo_aes256_tiny *key, const uint8_t raw[32])
{
    memcpy(key->key, raw, sizeof key->key);
}

#endif
