/* SHA-512: initial value, buffering and padding [FIPS180-4, 5.1.2, 5.3.5]. */
#include <string.h>

#include "../common/bytewise.h"
#include "../common/flash.h"
#include "../common/wide.h"
#include "sha2.h"

/* The first 64 bits of the fractional parts of the square roots of the first eight primes. */
static const uint64_t initial[8] SELO_FLASH = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

void selo_sha512_start(struct selo_sha512 *hash)
{
    for (uint8_t i = 0; i < 8; i++) {
        hash->state[i] = selo_flash_u64(initial + i);
    }
    hash->size = 0;
}

void selo_sha512_update(struct selo_sha512 *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint8_t at = hash->size & 127;

    hash->size += (uint32_t)size;
    while (size != 0) {
        uint8_t part = (uint8_t)(128 - at);
        if (part > size) {
            part = (uint8_t)size;
        }
        memcpy((uint8_t *)hash->block + at, bytes, part);
        bytes += part;
        size -= part;
        at = (uint8_t)(at + part);
        if (at == 128) {
            sha512_compress(hash->state, hash->block);
            at = 0;
        }
    }
}

void selo_sha512_finish(struct selo_sha512 *hash, uint8_t digest[64])
{
    uint8_t *block = (uint8_t *)hash->block;
    uint8_t at = hash->size & 127;
    uint32_t size = hash->size;

    block[at++] = 0x80;
    if (at > 112) { /* no room for the size in bits */
        memset(block + at, 0, (size_t)(128 - at));
        sha512_compress(hash->state, hash->block);
        at = 0;
    }
    memset(block + at, 0, (size_t)(123 - at));
    block[123] = (uint8_t)(size >> 24) >> 5;
    size <<= 3;
    for (uint8_t i = 127; i >= 124; i--) {
        block[i] = (uint8_t)size;
        size >>= 8;
    }
    sha512_compress(hash->state, hash->block);
    for (uint8_t i = 0; i < 8; i++) {
#if SELO_WIDE
        selo_store_be64(digest, hash->state[i]);
#elif SELO_BYTEWISE
        const uint8_t *word = (const uint8_t *)(hash->state + i);
        for (uint8_t j = 0; j < 8; j++) {
            digest[j] = word[7 - j];
        }
#else
        for (uint8_t j = 0; j < 8; j++) {
            digest[j] = (uint8_t)(hash->state[i] >> (56 - 8 * j));
        }
#endif
        digest += 8;
    }
    selo_wipe(hash, sizeof *hash);
}
