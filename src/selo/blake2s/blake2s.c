/* BLAKE2s-256 without a key: parameters, buffering and padding [RFC7693, 2.5, 3.3]. */
#include <string.h>

#include "../common/flash.h"
#include "blake2s.h"

void selo_blake2s_start(struct selo_blake2s *hash)
{
    for (uint8_t i = 0; i < 8; i++) {
        hash->state[i] = selo_flash_u32(selo_blake2s_iv + i);
    }
    hash->state[0] ^= 0x01010020; /* a digest of 32 bytes, no key, fan-out and depth 1 */
    hash->size = 0;
}

/* The last block is compressed differently. It is known only when more data comes or the message
 * ends, so the buffer is emptied as late as possible. It is empty only before the first byte;
 * afterwards it holds 1 to 64 bytes. */
void selo_blake2s_update(struct selo_blake2s *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    while (size != 0) {
        uint8_t at = hash->size & 63;
        uint8_t part = (uint8_t)(64 - at);
        if (part > size) {
            part = (uint8_t)size;
        }
        if (at == 0 && hash->size != 0) {
            blake2s_compress(hash->state, hash->block, hash->size, 0);
        }
        memcpy(hash->block + at, bytes, part);
        hash->size += part;
        bytes += part;
        size -= part;
    }
}

void selo_blake2s_finish(struct selo_blake2s *hash, uint8_t digest[32])
{
    uint8_t at = hash->size & 63;

    if (at != 0 || hash->size == 0) {
        memset(hash->block + at, 0, (size_t)(64 - at));
    }
    blake2s_compress(hash->state, hash->block, hash->size, 0xffffffff);
#if SELO_WIDE
    memcpy(digest, hash->state, 32); /* the CPU is little-endian (native/api.h) */
#else
    for (uint8_t i = 0; i < 8; i++) {
        uint32_t word = hash->state[i];
        for (uint8_t j = 0; j < 4; j++) {
            *digest++ = (uint8_t)word;
            word >>= 8;
        }
    }
#endif
    selo_wipe(hash, sizeof *hash);
}
