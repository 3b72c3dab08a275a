/* The transform of ML-KEM [FIPS203, algorithm 9]. */
#include "mlkem.h"

#if !SELO_MLKEM_WORDS && !SELO_NATIVE_MLKEM

/*
 * Each layer adds at most q and a twentieth to a coefficient: a product with a factor below q is
 * above x / 20 - q and at most x / 20. From at most q, seven layers come to at most 9.6 q, which
 * is below 2^15, so nothing is reduced on the way.
 */
void selo_mlkem_ntt(int16_t poly[256])
{
    uint8_t factor = 1;

    for (uint8_t length = 128; length >= 2; length >>= 1) {
        for (uint16_t start = 0; start < 256; start = (uint16_t)(start + 2u * length)) {
            const uint16_t zeta = selo_flash_u16(&selo_mlkem_zetas[factor++]);
            for (uint16_t i = start; i < start + length; i++) {
                const int16_t turned = selo_mlkem_product(poly[i + length], zeta);
                poly[i + length] = (int16_t)(poly[i] - turned);
                poly[i] = (int16_t)(poly[i] + turned);
            }
        }
    }
}

#endif
