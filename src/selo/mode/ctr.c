/* CTR [SP800-38A, 6.5]. The whole block is a big-endian counter [SP800-38A, B.1]. */
#include "../../selo_unauthenticated.h"
#include "../common/wide.h"

#if SELO_WIDE
/* Adds 1. The time is the same for every counter. */
static void advance(uint8_t counter[16])
{
    const uint64_t low = selo_load_be64(counter + 8) + 1;

    selo_store_be64(counter, selo_load_be64(counter) + (low == 0));
    selo_store_be64(counter + 8, low);
}
#endif

void selo_ctr(struct selo_cipher cipher, uint8_t counter[16], uint8_t *out, const uint8_t *in,
              size_t size)
{
    uint8_t stream[16];

    while (size != 0) {
        uint8_t taken = (uint8_t)(size < 16 ? size : 16);
#if !SELO_WIDE
        uint16_t carry = 1;
        uint8_t *byte;
#endif

        cipher.encrypt(cipher.key, stream, counter);
#if SELO_WIDE
        advance(counter);
        if (taken == 16) {
            selo_xor_16(out, in, stream);
            out += 16;
            in += 16;
            size -= 16;
            continue;
        }
#endif
        for (uint8_t i = 0; i < taken; i++) {
            *out++ = *in++ ^ stream[i];
        }
        size -= taken;
#if !SELO_WIDE
        /* always add to all 16 bytes: the time is the same for every counter */
        byte = counter + 16;
        for (uint8_t i = 16; i != 0; i--) {
            carry = (uint16_t)(carry + *--byte);
            *byte = (uint8_t)carry;
            carry >>= 8;
        }
#endif
    }
    selo_wipe(stream, sizeof stream);
}
