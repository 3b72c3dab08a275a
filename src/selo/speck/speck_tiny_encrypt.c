/* Speck128, tiny: encryption from the key. */
#include "speck.h"

void selo_speck128_tiny_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    const struct selo_speck128_tiny *tiny = key;
    selo_speck_encrypt_on_the_fly(tiny->key, out, in, 2);
}

void selo_speck192_tiny_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    const struct selo_speck192_tiny *tiny = key;
    selo_speck_encrypt_on_the_fly(tiny->key, out, in, 3);
}

void selo_speck256_tiny_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    const struct selo_speck256_tiny *tiny = key;
    selo_speck_encrypt_on_the_fly(tiny->key, out, in, 4);
}
