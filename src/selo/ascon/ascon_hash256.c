/* Ascon-Hash256: the sponge and its padding [SP800-232, 5.1]. */
#include <string.h>

#include "../common/flash.h"
#include "ascon.h"

/* The state after the permutation of the initial value, 0x0000080100cc0002 and zeros. It is the
 * same for every message [SP800-232, 5.1]. */
static const uint8_t initial[40] SELO_FLASH = {
    0x81, 0xd6, 0x34, 0xe9, 0x94, 0x54, 0x1e, 0x9b,
    0xd2, 0x51, 0x37, 0x33, 0x1e, 0xa0, 0xc3, 0x4b,
    0x1a, 0xb8, 0x34, 0x6b, 0x6c, 0x39, 0x65, 0xae,
    0xb3, 0x4d, 0x6a, 0xd5, 0xa4, 0xd4, 0x7f, 0x3c,
    0x6d, 0x97, 0xc5, 0x06, 0x49, 0x46, 0x5c, 0x1a,
};

void selo_ascon_hash256_start(struct selo_ascon_hash256 *hash)
{
    memset(hash, 0, sizeof *hash);
#if ASCON_WORDS
    memcpy(hash->state, initial, sizeof initial);
#else
    for (uint8_t i = 0; i < sizeof initial; i++) {
        selo_ascon_add_byte(hash->state, i, selo_flash_u8(initial + i));
    }
#endif
}

void selo_ascon_hash256_update(struct selo_ascon_hash256 *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint8_t position = hash->position;

    while (size != 0) {
#if ASCON_WORDS
        if (position == 0 && size >= 8) {
            uint64_t word;
            memcpy(&word, bytes, 8);
            hash->state[0] ^= word;
            selo_ascon_permute(hash->state, 12);
            bytes += 8;
            size -= 8;
            continue;
        }
#endif
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
#if ASCON_WORDS
    for (uint8_t i = 0; i < 32; i += 8) {
        selo_ascon_permute(hash->state, 12);
        memcpy(digest + i, hash->state, 8);
    }
#else
    for (uint8_t i = 0; i < 32; i++) {
        if (i % 8 == 0) {
            selo_ascon_permute(hash->state, 12);
        }
        digest[i] = selo_ascon_byte(hash->state, i % 8);
    }
#endif
    selo_wipe(hash, sizeof *hash);
}
