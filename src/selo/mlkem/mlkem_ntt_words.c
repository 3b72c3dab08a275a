/* The transform of ML-KEM [FIPS203, algorithm 9] on words of 32 bits. */
#include "mlkem.h"

#if SELO_MLKEM_WORDS && !SELO_NATIVE_MLKEM

/*
 * Each layer adds at most 1664 to a coefficient, so from at most q seven layers come to at most
 * 3329 + 7 * 1664 = 14977 = 4.5 q, and nothing is reduced on the way.
 *
 * Eight coefficients go through three layers at a time, so that each is loaded and stored three
 * times in place of seven.
 */
SELO_INLINE void butterfly(int32_t *low, int32_t *high, uint32_t z)
{
    const int32_t turned = selo_mlkem_times(*high, z);
    *high = *low - turned;
    *low += turned;
}

/* Three layers of `stride` times 8 coefficients; the first has the factor z[0]. Each coefficient has a
 * name, because compilers that optimise for size keep arrays in memory. */
static void three_layers(int16_t *poly, uint8_t stride, const uint32_t z[7])
{
    for (uint8_t i = 0; i < stride; i++, poly++) {
        LOAD_EIGHT(poly, stride);
        butterfly(&c0, &c4, z[0]);
        butterfly(&c1, &c5, z[0]);
        butterfly(&c2, &c6, z[0]);
        butterfly(&c3, &c7, z[0]);
        butterfly(&c0, &c2, z[1]);
        butterfly(&c1, &c3, z[1]);
        butterfly(&c4, &c6, z[2]);
        butterfly(&c5, &c7, z[2]);
        butterfly(&c0, &c1, z[3]);
        butterfly(&c2, &c3, z[4]);
        butterfly(&c4, &c5, z[5]);
        butterfly(&c6, &c7, z[6]);
        STORE_EIGHT(poly, stride);
    }
}

void selo_mlkem_ntt(int16_t poly[256])
{
    const uint32_t *z = selo_mlkem_zeta_words;

    three_layers(poly, 32, z);
    z += SELO_MLKEM_GROUPS;
    for (uint16_t start = 0; start < 256; start = (uint16_t)(start + 32), z += 7) {
        three_layers(poly + start, 4, z);
    }
    for (uint8_t block = 0; block < 64; block++, poly += 4) {
        for (uint8_t i = 0; i < 2; i++) {
            int32_t low = poly[i], high = poly[i + 2];
            butterfly(&low, &high, z[block]);
            poly[i] = (int16_t)low;
            poly[i + 2] = (int16_t)high;
        }
    }
}

#endif
