/* CTR [SP800-38A, 6.5]. The whole block is a big-endian counter [SP800-38A, B.1]. */
#include <string.h>

#include "../../selo_unauthenticated.h"
#include "../common/wide.h"
#include "../common/xor.h"

#if SELO_WIDE
/* Adds 1. The time is the same for every counter. */
static void advance(uint8_t counter[16])
{
    const uint64_t low = selo_load_be64(counter + 8) + 1;

    selo_store_be64(counter, selo_load_be64(counter) + (low == 0));
    selo_store_be64(counter + 8, low);
}
#else
/* Always adds to all 16 bytes: the time is the same for every counter. */
SELO_INLINE void advance(uint8_t counter[16])
{
    uint16_t carry = 1;
    uint8_t *byte = counter + 16;

    for (uint8_t i = 16; i != 0; i--) {
        carry = (uint16_t)(carry + *--byte);
        *byte = (uint8_t)carry;
        carry >>= 8;
    }
}
#endif

#if SELO_CIPHER_TWO && !SELO_WIDE
/* The part of selo_ctr with two blocks at a time; returns the size of the rest. The counter is in
 * four words meanwhile, the lowest first. */
static size_t ctr_two(struct selo_cipher cipher, uint8_t counter[16], uint8_t **out,
                      const uint8_t **in, size_t size)
{
    uint8_t stream[32];
    uint32_t word[4];

    for (uint8_t i = 0; i < 4; i++) {
        word[i] = selo_load_be32(counter + 12 - 4 * i);
    }
    while (size > 16) {
        uint8_t taken = (uint8_t)(size < 32 ? size : 32);
        for (uint8_t block = 0; block < 32; block = (uint8_t)(block + 16)) {
            uint32_t carry = 1; /* to all four words: the time is the same for every counter */
            for (uint8_t i = 0; i < 4; i++) {
                selo_store_be32(stream + block + 12 - 4 * i, word[i]);
                word[i] += carry;
                carry &= ((word[i] | (0 - word[i])) >> 31) ^ 1;
            }
        }
        cipher.encrypt_two(cipher.key, stream, stream);
        selo_xor(out, in, stream, taken);
        size -= taken;
    }
    for (uint8_t i = 0; i < 4; i++) {
        selo_store_be32(counter + 12 - 4 * i, word[i]);
    }
    selo_wipe(stream, sizeof stream);
    return size;
}
#endif

void selo_ctr(struct selo_cipher cipher, uint8_t counter[16], uint8_t *out, const uint8_t *in,
              size_t size)
{
    uint8_t stream[16];

#if SELO_CIPHER_TWO && !SELO_WIDE
    if (cipher.encrypt_two != NULL) {
        size = ctr_two(cipher, counter, &out, &in, size);
    }
#endif
    while (size != 0) {
        uint8_t taken = (uint8_t)(size < 16 ? size : 16);

        cipher.encrypt(cipher.key, stream, counter);
        selo_xor(&out, &in, stream, taken);
        size -= taken;
        advance(counter);
    }
    selo_wipe(stream, sizeof stream);
}
