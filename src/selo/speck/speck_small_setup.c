/* Speck128, small: keeps the key, and the material of the schedule at the last round. */
#include <string.h>

#include "speck.h"

static void setup(uint8_t *first, uint8_t *last, const uint8_t *raw, uint8_t words)
{
    uint8_t size = (uint8_t)(8 * words);

    memcpy(first, raw, size);
    memcpy(last, raw, size);
    selo_speck_run_schedule(last, words);
}

void selo_speck128_small_setup(struct selo_speck128_small *key, const uint8_t raw[16])
{
    setup(key->first, key->last, raw, 2);
}

void selo_speck192_small_setup(struct selo_speck192_small *key, const uint8_t raw[24])
{
    setup(key->first, key->last, raw, 3);
}

void selo_speck256_small_setup(struct selo_speck256_small *key, const uint8_t raw[32])
{
    setup(key->first, key->last, raw, 4);
}
