/* SHA3-256 and SHA3-512: the sponge and its padding [FIPS202, 4, 5.1, 6.1]. */
#include <string.h>

#include "../common/bytewise.h"
#include "sha3.h"

/* Adds a byte to the state. The first byte of a lane is the least significant one
 * [FIPS202, 3.1.2, B.1]. */
static inline void add_byte(struct selo_sha3 *hash, uint8_t position, uint8_t byte)
{
#if SELO_BYTEWISE
    ((uint8_t *)hash->lanes)[position] ^= byte;
#else
    hash->lanes[position / 8] ^= selo_keccak_to_lane((uint64_t)byte << 8 * (position % 8));
#endif
}

static void start(struct selo_sha3 *hash, uint8_t digest_size)
{
    memset(hash, 0, sizeof *hash);
    hash->rate = (uint8_t)(200 - 2 * digest_size); /* [FIPS202, 6.1]: capacity twice the digest */
}

void selo_sha3_256_start(struct selo_sha3 *hash)
{
    start(hash, 32);
}

void selo_sha3_512_start(struct selo_sha3 *hash)
{
    start(hash, 64);
}

void selo_sha3_update(struct selo_sha3 *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint8_t position = hash->position;

    while (size != 0) {
#if !SELO_BYTEWISE
        if (position % 8 == 0 && size >= 8) { /* the rate is a multiple of 8 */
            const size_t left = (size_t)(hash->rate - position);
            const size_t part = (size < left ? size : left) & ~(size_t)7;
            selo_keccak_add_lanes(hash->lanes + position / 8, bytes, part / 8);
            bytes += part;
            size -= part;
            position = (uint8_t)(position + part);
            if (position == hash->rate) {
                keccak_f1600(hash->lanes);
                position = 0;
            }
            continue;
        }
#endif
        add_byte(hash, position, *bytes++);
        size--;
        position++;
        if (position == hash->rate) {
            keccak_f1600(hash->lanes);
            position = 0;
        }
    }
    hash->position = position;
}

void selo_sha3_finish(struct selo_sha3 *hash, uint8_t *digest)
{
    uint8_t digest_size = (uint8_t)((200 - hash->rate) / 2);

    add_byte(hash, hash->position, 0x06); /* the suffix 01 and the first bit of pad10*1 */
    add_byte(hash, (uint8_t)(hash->rate - 1), 0x80);
    keccak_f1600(hash->lanes);
#if SELO_BYTEWISE
    for (uint8_t i = 0; i < digest_size; i++) {
        digest[i] = ((const uint8_t *)hash->lanes)[i];
    }
#else
    selo_keccak_take_lanes(digest, hash->lanes, digest_size / 8);
#endif
    selo_wipe(hash, sizeof *hash);
}
