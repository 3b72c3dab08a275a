/* SHA-384 [FIPS180-4, 5.3.4, 6.5]. */
#include <string.h>

#include "../common/flash.h"
#include "sha2.h"

/* The first 64 bits of the fractional parts of the square roots of the ninth to sixteenth prime. */
static const uint64_t initial[8] SELO_FLASH = {
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};

void selo_sha384_start(struct selo_sha384 *hash)
{
    for (uint8_t i = 0; i < 8; i++) {
        hash->of.state[i] = selo_flash_u64(initial + i);
    }
    hash->of.size = 0;
}

void selo_sha384_update(struct selo_sha384 *hash, const void *data, size_t size)
{
    selo_sha512_update(&hash->of, data, size);
}

void selo_sha384_finish(struct selo_sha384 *hash, uint8_t digest[48])
{
    uint8_t whole[64];

    selo_sha512_finish(&hash->of, whole);
    memcpy(digest, whole, 48);
    selo_wipe(whole, sizeof whole);
}
