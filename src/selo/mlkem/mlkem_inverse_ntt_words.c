/* The inverse transform of ML-KEM [FIPS203, algorithm 10], and a multiplication by 2^16, on words of 32
 * bits. */
#include "mlkem.h"

#if SELO_MLKEM_WORDS && !SELO_NATIVE_MLKEM

/*
 * A product is at most 1664, q / 2, and a sum doubles its bound. From at most 3.3 q:
 *
 *   after layer 1   sums 6.6 q, shortened to q / 2; products q / 2
 *   after layer 4   what layers 3 and 4 have added up is shortened; q at most
 *   after layer 6   4 q
 *   layer 7         sums and differences 8 q = 26632; all become products
 *
 * No sum or difference exceeds 16 bits.
 */
SELO_INLINE void butterfly(int32_t *low, int32_t *high, uint32_t z)
{
    const int32_t difference = *high - *low;
    *low += *high;
    *high = selo_mlkem_times(difference, z);
}

/* The mirror image of the three layers of mlkem_ntt_words.c; z[0] is the factor of the last. */
static void three_layers(int16_t *poly, uint8_t stride, const uint32_t z[7], uint8_t is_last)
{
    const uint32_t third = is_last ? SELO_MLKEM_Z_OF_LAST : z[0];
    const uint32_t shorten = is_last ? SELO_MLKEM_Z_OF_SCALE : SELO_MLKEM_Z_OF_1;

    for (uint8_t i = 0; i < stride; i++, poly++) {
        LOAD_EIGHT(poly, stride);
        butterfly(&c0, &c1, z[6]);
        butterfly(&c2, &c3, z[5]);
        butterfly(&c4, &c5, z[4]);
        butterfly(&c6, &c7, z[3]);
        butterfly(&c0, &c2, z[2]);
        butterfly(&c1, &c3, z[2]);
        butterfly(&c4, &c6, z[1]);
        butterfly(&c5, &c7, z[1]);
        butterfly(&c0, &c4, third);
        butterfly(&c1, &c5, third);
        butterfly(&c2, &c6, third);
        butterfly(&c3, &c7, third);
        c0 = selo_mlkem_times(c0, shorten);
        c1 = selo_mlkem_times(c1, shorten);
        if (is_last) {
            c2 = selo_mlkem_times(c2, shorten);
            c3 = selo_mlkem_times(c3, shorten);
        }
        STORE_EIGHT(poly, stride);
    }
}

void selo_mlkem_inverse_ntt(int16_t poly[256])
{
    const uint32_t *z = selo_mlkem_zeta_words + SELO_MLKEM_LAST;

    for (uint8_t block = 0; block < 64; block++) {
        int16_t *four = poly + 4 * block;
        for (uint8_t i = 0; i < 2; i++) {
            int32_t low = four[i], high = four[i + 2];
            butterfly(&low, &high, z[63 - block]);
            four[i] = (int16_t)selo_mlkem_times(low, SELO_MLKEM_Z_OF_1);
            four[i + 2] = (int16_t)high;
        }
    }
    for (uint16_t start = 0; start < 256; start = (uint16_t)(start + 32)) {
        z -= 7;
        three_layers(poly + start, 4, z, 0);
    }
    three_layers(poly, 32, selo_mlkem_zeta_words, 1);
}

#endif
