/*
 * An entry of the table of multiples, for machines without assembly for it: the whole
 * table is read and all but one entry masked away, so that no address depends on it.
 */
#include <string.h>

#include "../common/flash.h"
#include "x25519_base.h"

void selo_x25519_lookup_bytes(uint8_t entry[96], uint8_t index)
{
    const uint8_t *from = selo_x25519_table;
    for (uint8_t chunk = 0; chunk < 96; chunk = (uint8_t)(chunk + SELO_X25519_CHUNK)) {
        for (uint8_t i = 0; i < SELO_X25519_CHUNK; i++) {
            entry[chunk + i] = 0;
        }
        for (uint8_t e = 0; e < SELO_X25519_ENTRIES; e++) {
            /* 0 - 1 has a high byte of ones, no other difference has. */
            const uint8_t mask = (uint8_t)((uint16_t)((uint16_t)(e ^ index) - 1) >> 8);
            for (uint8_t i = 0; i < SELO_X25519_CHUNK; i++) {
                entry[chunk + i] |= (uint8_t)(selo_flash_u8(from++) & mask);
            }
        }
    }
}

#if SELO_X25519_WIDE && SELO_X25519_TEETH == 5
void selo_x25519_lookup_wide(uint8_t entry[96], uint8_t index)
{
    enum { WORDS = 96 / 8, CHUNK_WORDS = SELO_X25519_CHUNK / 8 };
    uint64_t found[WORDS] = {0};

    /* The table holds a chunk of every entry, then the next chunk of every entry. */
    for (uint8_t e = 0; e < SELO_X25519_ENTRIES; e++) {
        /* 0 - 1 has a high half of ones, no other difference has. */
        const uint64_t mask = (uint64_t)0 - (uint64_t)((uint32_t)((uint32_t)(e ^ index) - 1) >> 31);
        for (uint8_t i = 0; i < WORDS; i++) {
            const size_t chunk = i / CHUNK_WORDS, within = i % CHUNK_WORDS;
            uint64_t word;
            memcpy(&word, selo_x25519_table + SELO_X25519_CHUNK * (SELO_X25519_ENTRIES * chunk + e)
                              + 8 * within, 8);
            found[i] |= word & mask;
        }
    }
    memcpy(entry, found, sizeof found);
}
#endif
