/*
 * Lazy reduction after a product: 512 bits -> 256 bits with 2^256 = 38 and
 * 2^255 = 19 modulo p, in one pass.
 */
#include "field.h"

void selo_field25519_reduce(uint8_t r[32], const uint8_t product[64])
{
    /*
     * low + 38 high is up to 39 * 2^256. Its top byte is known but for the carry
     * into it, so what stands above bit 255 is folded in as the carry into the
     * lowest byte, and no second pass is needed: top <= 39 * 255 = 9945, the first
     * carry <= 19 * 77 = 1463, every sum <= 39 * 255 + 1463 < 2^16, the last carry
     * <= 39.
     */
    const uint16_t top = (uint16_t)(product[31] + (uint16_t)(38 * product[63]));
    uint16_t carry = (uint16_t)(19 * (uint8_t)(top >> 7));

    for (uint8_t i = 0; i < 31; i++) {
        carry = (uint16_t)(carry + product[i] + (uint16_t)((uint16_t)38 * product[i + 32]));
        r[i] = (uint8_t)carry;
        carry >>= 8;
    }
    r[31] = (uint8_t)((top & 127) + carry);
}
