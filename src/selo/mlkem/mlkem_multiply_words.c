/* Products of two transformed polynomials [FIPS203, algorithms 11 and 12] on words of 32 bits. */
#include "mlkem.h"

#if SELO_MLKEM_WORDS && !SELO_NATIVE_MLKEM

/*
 * A coefficient of a is at most 4.5 q = 14981, one of b below 4096, and b1 z modulo q at most 1664. A
 * sum of two products is at most 14981 (4095 + 4095) = 123 million, and its quotient by 2^16 with
 * the half of q at most 1873 + 1665 = 3538. Three of them are at most 3.2 q.
 */
void selo_mlkem_multiply_quads(int16_t *sum, const int16_t *a, const uint8_t *b, uint32_t quads)
{
    const uint32_t *z = selo_mlkem_zeta_words + SELO_MLKEM_LAST + (quads & 255);

    for (uint8_t left = (uint8_t)(quads >> 8); left != 0; left--) {
        uint32_t zeta = *z++;
        for (uint8_t pair = 0; pair < 2; pair++) {
            const int32_t b0 = b[0] | (b[1] & 15) << 8, b1 = b[1] >> 4 | b[2] << 4;
            int32_t turned = a[1] * selo_mlkem_times(b1, zeta);

            if (pair != 0) {
                turned = -turned;
            }
            sum[0] = (int16_t)(sum[0] + selo_mlkem_reduce_word(a[0] * b0 + turned));
            sum[1] = (int16_t)(sum[1] + selo_mlkem_reduce_word(a[0] * b1 + a[1] * b0));
            sum += 2;
            a += 2;
            b += 3;
        }
    }
}

#endif
