/* CTR [SP800-38A, 6.5]. The whole block is a big-endian counter [SP800-38A, B.1]. */
#include "../../selo_unauthenticated.h"
#include "../common/xor.h"

void selo_ctr(struct selo_cipher cipher, uint8_t counter[16], uint8_t *out, const uint8_t *in,
              size_t size)
{
    uint8_t stream[16];

    while (size != 0) {
        uint8_t taken = (uint8_t)(size < 16 ? size : 16);
        uint16_t carry = 1;
        uint8_t *byte;

        cipher.encrypt(cipher.key, stream, counter);
        selo_xor(&out, &in, stream, taken);
        size -= taken;
        /* always add to all 16 bytes: the time is the same for every counter */
        byte = counter + 16;
        for (uint8_t i = 16; i != 0; i--) {
            carry = (uint16_t)(carry + *--byte);
            *byte = (uint8_t)carry;
            carry >>= 8;
        }
    }
    selo_wipe(stream, sizeof stream);
}
