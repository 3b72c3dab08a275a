/* GHASH: data in blocks of 16 bytes [SP800-38D, 6.4, 7.1]. */
#include "../common/wide.h"
#include "ghash.h"

void selo_ghash_padded(uint8_t hash[16], const uint8_t key[16], const uint8_t *data, size_t size)
{
    while (size != 0) {
        uint8_t taken = (uint8_t)(size < 16 ? size : 16);
        if (!SELO_BYTEWISE && taken == 16) {
            selo_xor_16(hash, hash, data);
            data += 16;
        } else {
            for (uint8_t i = 0; i < taken; i++) {
                hash[i] ^= *data++;
            }
        }
        size -= taken;
        ghash_multiply(hash, key);
    }
}

#if SELO_BYTEWISE
static void add_size(uint8_t field[8], size_t size)
{
    field[7] = (uint8_t)(field[7] ^ size << 3);
    size >>= 5;
    for (uint8_t i = 7; i-- != 0;) {
        field[i] = (uint8_t)(field[i] ^ size);
        size >>= 8;
    }
}
#else
static void add_size(uint8_t field[8], size_t size)
{
    selo_store_be32(field, selo_load_be32(field) ^ (uint32_t)((uint64_t)size >> 29));
    selo_store_be32(field + 4, selo_load_be32(field + 4) ^ (uint32_t)size << 3);
}
#endif

void selo_ghash_sizes(uint8_t hash[16], const uint8_t key[16], size_t first, size_t second)
{
    add_size(hash, first);
    add_size(hash + 8, second);
    ghash_multiply(hash, key);
}
