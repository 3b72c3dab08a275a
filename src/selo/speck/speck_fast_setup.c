/* Speck128, fast: all round keys of the schedule [SPECK2013, 4.2]. */
#include <string.h>

#include "speck.h"

static void setup(uint8_t *round_keys, const uint8_t *raw, uint8_t words)
{
    uint8_t material[32];
    uint8_t size = (uint8_t)(8 * words), at = 8, i = 0;

    memcpy(material, raw, size);
    for (;;) {
        memcpy(round_keys, material, 8);
        if (i == SPECK_ROUNDS(words) - 1) {
            break;
        }
        round_keys += 8;
        selo_speck_schedule(material, material + at, i);
        at = (uint8_t)(at + 8);
        if (at == size) {
            at = 8;
        }
        i++;
    }
    selo_wipe(material, sizeof material);
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
