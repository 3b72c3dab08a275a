/*
 * The multiplication of GHASH [SP800-38D, 6.3]: bit by bit, with a mask where the
 * standard has a case.
 */
#include "ghash.h"

#if !SELO_NATIVE_GHASH_MULTIPLY

void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16])
{
    uint8_t sum[16] = {0}, power[16];

    for (uint8_t i = 0; i < 16; i++) {
        power[i] = key[i];
    }
    for (uint8_t n = 0; n < 128; n++) {
        uint8_t mask = (uint8_t)-(product[n / 8] >> (7 - n % 8) & 1);
        uint8_t out = (uint8_t)-(power[15] & 1);
        for (uint8_t i = 0; i < 16; i++) {
            sum[i] ^= (uint8_t)(power[i] & mask);
        }
        for (uint8_t i = 15; i != 0; i--) {
            power[i] = (uint8_t)(power[i] >> 1 | power[i - 1] << 7);
        }
        power[0] = (uint8_t)(power[0] >> 1 ^ (out & 0xe1));
    }
    for (uint8_t i = 0; i < 16; i++) {
        product[i] = sum[i];
    }
    selo_wipe(power, sizeof power);
    selo_wipe(sum, sizeof sum);
}

#endif
