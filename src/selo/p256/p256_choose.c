/* One of eight points: all are read and all but one masked away, so that no address depends on it. */
#include <string.h>

#include "p256.h"

void selo_p256_choose_bytes(struct selo_p256_affine *entry, const struct selo_p256_affine *points,
                            uint8_t index)
{
    memset(entry, 0, sizeof *entry);
    for (uint8_t e = 0; e < 8; e++) {
        /* 0 - 1 has a high byte of ones, no other difference has. */
        const uint8_t mask = (uint8_t)((uint16_t)((uint16_t)(e ^ index) - 1) >> 8);
        for (uint8_t i = 0; i < 64; i++) {
            entry->point[i] |= (uint8_t)(points[e].point[i] & mask);
        }
    }
}
