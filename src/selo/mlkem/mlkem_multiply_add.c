/* The product of two pairs of transformed polynomials' factors [FIPS203, algorithms 11 and 12]. */
#include "mlkem.h"

#if !SELO_MLKEM_WORDS && !SELO_NATIVE_MLKEM

static inline uint16_t even(const uint8_t three[3])
{
    return (uint16_t)(three[0] | (three[1] & 15) << 8);
}

static inline uint16_t odd(const uint8_t three[3])
{
    return (uint16_t)(three[1] >> 4 | three[2] << 4);
}

/* The quad has two factors X^2 - z and X^2 + z, where z is entry 64 + quad of the table. With q
 * added, a product is positive and below 1.1 q. Each sum gains more than -q and less than 0.2 q. */
void selo_mlkem_multiply_add(int16_t sum[4], const uint8_t a[6], const uint8_t b[6], uint8_t quad)
{
    uint16_t zeta = selo_flash_u16(&selo_mlkem_zetas[64 + quad]);

    for (uint8_t pair = 0; pair < 2; pair++) {
        const uint32_t a0 = even(a), a1 = odd(a);
        const uint16_t b0 = even(b), b1 = odd(b);
        const uint32_t turned = (uint16_t)(selo_mlkem_reduce(a1 * b1) + SELO_MLKEM_Q);

        sum[0] = (int16_t)(sum[0] + selo_mlkem_reduce(a0 * b0 + turned * zeta));
        sum[1] = (int16_t)(sum[1] + selo_mlkem_reduce(a0 * b1 + a1 * b0));
        zeta = (uint16_t)(SELO_MLKEM_Q - zeta);
        sum += 2;
        a += 3;
        b += 3;
    }
}

#endif
