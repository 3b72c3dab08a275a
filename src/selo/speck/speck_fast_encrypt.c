/* Speck128, fast: encryption with the round keys in RAM. */
#include "speck.h"

void selo_speck128_fast_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    const struct selo_speck128_fast *fast = key;
    selo_speck_encrypt_rounds(fast->round_keys, out, in, SPECK_ROUNDS(2));
}

void selo_speck192_fast_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    const struct selo_speck192_fast *fast = key;
    selo_speck_encrypt_rounds(fast->round_keys, out, in, SPECK_ROUNDS(3));
}

void selo_speck256_fast_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    const struct selo_speck256_fast *fast = key;
    selo_speck_encrypt_rounds(fast->round_keys, out, in, SPECK_ROUNDS(4));
}
