/* All round keys of the Speck128 key schedule [SPECK2013, 4.2]. */
#include <string.h>

#include "speck.h"

#if !SELO_NATIVE_SPECK

void selo_speck_expand(uint8_t *round_keys, uint8_t words)
{
    uint8_t round_key[8];
    uint8_t *first = round_keys + SPECK_EXPAND_L, *end = round_keys + 8 * SPECK_ROUNDS(words), *l = first;

    memcpy(round_key, round_keys, 8);
    for (uint8_t i = 0; i < SPECK_ROUNDS(words) - 1; i++) {
        selo_speck_schedule(round_key, l, i);
        round_keys += 8;
        memcpy(round_keys, round_key, 8);
        l += 8;
        if (l == end) {
            l = first;
        }
    }
    selo_wipe(round_key, sizeof round_key);
}

#endif
