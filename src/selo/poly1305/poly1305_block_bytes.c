/*
 * The step of Poly1305 in bytes, for 8-bit machines: a product by columns, then a
 * reduction that uses 2^130 = 5 modulo 2^130 - 5.
 */
#include "poly1305.h"

#if SELO_BYTEWISE && !SELO_NATIVE_POLY1305_BLOCK

void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17])
{
    uint8_t product[33];
    uint32_t column = 0;
    uint16_t carry = 0;

    for (uint8_t i = 0; i < 17; i++) {
        carry = (uint16_t)(carry + mac->sum[i] + block[i]);
        mac->sum[i] = (uint8_t)carry;
        carry >>= 8;
    }
    for (uint8_t k = 0; k < 33; k++) {
        for (uint8_t i = (uint8_t)(k < 16 ? 0 : k - 15); i <= k && i < 17; i++) {
            column += (uint16_t)(mac->sum[i] * (uint16_t)mac->multiplier[k - i]);
        }
        product[k] = (uint8_t)column;
        column >>= 8;
    }
    /* low 130 bits + 5 high = low + 4 high + high; 4 high begins at byte 16 */
    for (uint8_t i = 0; i < 17; i++) {
        uint8_t low = i == 16 ? product[16] & 3 : product[i];
        uint8_t four = i == 0 ? product[16] & 0xfc : product[16 + i];
        uint8_t one = (uint8_t)((product[16 + i] >> 2) | (i == 16 ? 0 : product[17 + i] << 6));
        carry = (uint16_t)(carry + low + four + one);
        mac->sum[i] = (uint8_t)carry;
        carry >>= 8;
    }
    selo_wipe(product, sizeof product);
}

#endif
