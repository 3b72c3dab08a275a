/* Speck128, small: encryption from the first key material. */
#include "speck.h"

void selo_speck128_small_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    const struct selo_speck128_small *small = key;
    selo_speck_encrypt_on_the_fly(small->first, out, in, 2);
}

void selo_speck192_small_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    const struct selo_speck192_small *small = key;
    selo_speck_encrypt_on_the_fly(small->first, out, in, 3);
}

void selo_speck256_small_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    const struct selo_speck256_small *small = key;
    selo_speck_encrypt_on_the_fly(small->first, out, in, 4);
}
