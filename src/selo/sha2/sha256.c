/* SHA-256: initial value, buffering and padding [FIPS180-4, 5.1.1, 5.3.3]. */
#include <string.h>

#include "../common/flash.h"
#include "../common/wide.h"
#include "sha2.h"

/* The first 32 bits of the fractional parts of the square roots of the first eight primes. */
static const uint32_t initial[8] SELO_FLASH = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

void selo_sha256_start(struct selo_sha256 *hash)
{
    for (uint8_t i = 0; i < 8; i++) {
        hash->state[i] = selo_flash_u32(initial + i);
    }
    hash->size = 0;
}

void selo_sha256_update(struct selo_sha256 *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint8_t at = hash->size & 63;

    hash->size += (uint32_t)size;
    while (size != 0) {
        uint8_t part = (uint8_t)(64 - at);
        if (part > size) {
            part = (uint8_t)size;
        }
        memcpy((uint8_t *)hash->block + at, bytes, part);
        bytes += part;
        size -= part;
        at = (uint8_t)(at + part);
        if (at == 64) {
            sha256_compress(hash->state, hash->block);
            at = 0;
        }
    }
}

void selo_sha256_finish(struct selo_sha256 *hash, uint8_t digest[32])
{
    uint8_t *block = (uint8_t *)hash->block;
    uint8_t at = hash->size & 63;
    uint32_t size = hash->size;

    block[at++] = 0x80;
    if (at > 56) { /* no room for the size in bits */
        memset(block + at, 0, (size_t)(64 - at));
        sha256_compress(hash->state, hash->block);
        at = 0;
    }
    memset(block + at, 0, (size_t)(59 - at));
    block[59] = (uint8_t)(size >> 24) >> 5;
    size <<= 3;
    for (uint8_t i = 63; i >= 60; i--) {
        block[i] = (uint8_t)size;
        size >>= 8;
    }
    sha256_compress(hash->state, hash->block);
    for (uint8_t i = 0; i < 8; i++) {
#if SELO_WIDE
        selo_store_be32(digest, hash->state[i]);
#else
        uint32_t word = hash->state[i];
        for (uint8_t j = 4; j-- != 0;) {
            digest[j] = (uint8_t)word;
            word >>= 8;
        }
#endif
        digest += 4;
    }
    selo_wipe(hash, sizeof *hash);
}
