/*
 * An entry of the table of multiples, for machines without assembly for it: the whole table is read and all
 * but one entry masked away, so that no address depends on it.
 */
#include "../common/flash.h"
#include "p256_base.h"

void selo_p256_lookup_bytes(uint8_t entry[64], uint8_t index)
{
    const uint8_t *from = selo_p256_table;

    for (uint8_t chunk = 0; chunk < 64; chunk = (uint8_t)(chunk + SELO_P256_CHUNK)) {
        for (uint8_t i = 0; i < SELO_P256_CHUNK; i++) {
            entry[chunk + i] = 0;
        }
        for (uint8_t e = 0; e < SELO_P256_ENTRIES; e++) {
            /* 0 - 1 has a high byte of ones, no other difference has. */
            const uint8_t mask = (uint8_t)((uint16_t)((uint16_t)(e ^ index) - 1) >> 8);
            for (uint8_t i = 0; i < SELO_P256_CHUNK; i++) {
                entry[chunk + i] |= (uint8_t)(selo_flash_u8(from++) & mask);
            }
        }
    }
}
