/* The inverse transform of ML-KEM [FIPS203, algorithm 10], and a multiplication by 2^16. */
#include "mlkem.h"

#if !SELO_MLKEM_WORDS && !SELO_NATIVE_MLKEM

/*
 * A sum doubles its bound and a product is at most 1.3 q, so from at most 3.3 q the first, the
 * third and the fifth layer shorten their sums. What the last layer leaves is at most 5 q.
 */
void selo_mlkem_inverse_ntt(int16_t poly[256])
{
    uint8_t factor = 127;

    for (uint8_t length = 2; length != 0; length = (uint8_t)(length << 1)) {
        const uint8_t shortens = length & (2 | 8 | 32);
        for (uint16_t start = 0; start < 256; start = (uint16_t)(start + 2u * length)) {
            const uint16_t zeta = selo_flash_u16(&selo_mlkem_zetas[factor--]);
            for (uint16_t i = start; i < start + length; i++) {
                const int16_t low = poly[i], high = poly[i + length];
                const int16_t sum = (int16_t)(low + high);
                poly[i] = shortens ? (int16_t)selo_mlkem_shorten(sum) : sum;
                poly[i + length] = selo_mlkem_product((int16_t)(high - low), zeta);
            }
        }
    }
    for (uint16_t i = 0; i < 256; i++) {
        poly[i] = selo_mlkem_product(poly[i], SELO_MLKEM_SCALE);
    }
}

#endif
