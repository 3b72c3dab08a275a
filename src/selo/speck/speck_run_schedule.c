/* The Speck128 key schedule from the first round to the last [SPECK2013, 4.2]. */
#include "speck.h"

#if !SELO_NATIVE_SPECK

void selo_speck_run_schedule(uint8_t *material, uint8_t words)
{
    uint8_t size = (uint8_t)(8 * words), at = 8;

    for (uint8_t i = 0; i < SPECK_ROUNDS(words) - 1; i++) {
        selo_speck_schedule(material, material + at, i);
        at = (uint8_t)(at + 8);
        if (at == size) {
            at = 8;
        }
    }
}

#endif
