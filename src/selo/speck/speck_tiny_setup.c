/* Speck128, tiny: keeps only the key. */
#include <string.h>

#include "speck.h"

void selo_speck128_tiny_setup(struct selo_speck128_tiny *key, const uint8_t raw[16])
{
    memcpy(key->key, raw, sizeof key->key);
}

void selo_speck192_tiny_setup(struct selo_speck192_tiny *key, const uint8_t raw[24])
{
    memcpy(key->key, raw, sizeof key->key);
}

void selo_speck256_tiny_setup(struct selo_speck256_tiny *key, const uint8_t raw[32])
{
    memcpy(key->key, raw, sizeof key->key);
}
