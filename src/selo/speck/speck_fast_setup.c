/* Speck128, fast: all round keys of the schedule [SPECK2013, 4.2]. */
#include <string.h>

#include "speck.h"

static void setup(uint8_t *round_keys, const uint8_t *raw, uint8_t words)
{
    memcpy(round_keys, raw, 8);
    memcpy(round_keys + SPECK_EXPAND_L, raw + 8, (size_t)(8 * (words - 1)));
    selo_speck_expand(round_keys, words);
}

void selo_speck128_fast_setup(struct selo_speck128_fast *key, const uint8_t raw[16])
{
    setup(key->round_keys, raw, 2);
}

void selo_speck192_fast_setup(struct selo_speck192_fast *key, const uint8_t raw[24])
{
    setup(key->round_keys, raw, 3);
}

void selo_speck256_fast_setup(struct selo_speck256_fast *key, const uint8_t raw[32])
{
    setup(key->round_keys, raw, 4);
}
