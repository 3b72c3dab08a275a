/* CTR [SP800-38A, 6.5]. The whole block is a big-endian counter [SP800-38A, B.1]. */
#include <string.h>

#include "../../selo_unauthenticated.h"
#include "../common/sum64.h"
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
/* The counter as a number: its upper half first. */
static void load(uint64_t number[2], const uint8_t counter[16])
{
    number[0] = (uint64_t)selo_load_be32(counter) << 32 | selo_load_be32(counter + 4);
    number[1] = (uint64_t)selo_load_be32(counter + 8) << 32 | selo_load_be32(counter + 12);
}

SELO_INLINE void store(uint8_t counter[16], const uint64_t number[2])
{
    selo_store_be32(counter, (uint32_t)(number[0] >> 32));
    selo_store_be32(counter + 4, (uint32_t)number[0]);
    selo_store_be32(counter + 8, (uint32_t)(number[1] >> 32));
    selo_store_be32(counter + 12, (uint32_t)number[1]);
}

/* Adds 1. The time is the same for every counter. */
SELO_INLINE void advance_number(uint64_t number[2])
{
    number[1] = selo_sum64(number[1], 1);
    const uint32_t ones = (uint32_t)number[1] | (uint32_t)(number[1] >> 32);
    number[0] = selo_sum64(number[0], ((ones | (0 - ones)) >> 31) ^ 1);
}

/* The part of selo_ctr with two blocks at a time; returns the size of the rest. */
static size_t ctr_two(struct selo_cipher cipher, uint8_t counter[16], uint8_t **out,
                      const uint8_t **in, size_t size)
{
    _Alignas(uint32_t) uint8_t stream[32];
    uint8_t *to = *out;
    const uint8_t *from = *in;
    uint64_t number[2];

    load(number, counter);
    while (size > 16) {
        store(stream, number);
        advance_number(number);
        store(stream + 16, number);
        advance_number(number);
        cipher.encrypt_two(cipher.key, stream, stream);
        if (size < 32) {
            selo_xor(&to, &from, stream, (uint8_t)size);
            size = 0;
            break;
        }
        for (uint8_t block = 0; block < 32; block = (uint8_t)(block + 16)) {
            selo_xor_16(to, from, stream + block);
            to += 16, from += 16;
        }
        size -= 32;
    }
    *out = to, *in = from;
    store(counter, number);
    selo_wipe(stream, sizeof stream);
    return size;
}
#endif

void selo_ctr(struct selo_cipher cipher, uint8_t counter[16], uint8_t *out, const uint8_t *in,
              size_t size)
{
    _Alignas(uint32_t) uint8_t stream[16];

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
