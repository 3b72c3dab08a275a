/* Ascon-Hash256: the sponge and its padding [SP800-232, 5.1]. */
#include <string.h>

#include "ascon.h"

void selo_ascon_hash256_start(struct selo_ascon_hash256 *hash)
{
    memset(hash, 0, sizeof *hash);
    hash->state[0] = 0x0000080100cc0002;
    selo_ascon_permute(hash->state, 12);
}

void selo_ascon_hash256_update(struct selo_ascon_hash256 *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint8_t position = hash->position;

    while (size != 0) {
        selo_ascon_add_byte(hash->state, position, *bytes++);
        size--;
        position++;
        if (position == 8) {
            selo_ascon_permute(hash->state, 12);
            position = 0;
        }
    }
    hash->position = position;
}

void selo_ascon_hash256_finish(struct selo_ascon_hash256 *hash, uint8_t digest[32])
{
    selo_ascon_add_byte(hash->state, hash->position, 0x01);
    for (uint8_t i = 0; i < 32; i++) {
        if (i % 8 == 0) {
            selo_ascon_permute(hash->state, 12);
        }
        digest[i] = selo_ascon_byte(hash->state, i % 8);
    }
    selo_wipe(hash, sizeof *hash);
}
