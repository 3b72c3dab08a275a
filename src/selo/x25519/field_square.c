/*
 * Squaring modulo 2^255 - 19: two levels of Karatsuba over a square of 8 bytes,
 * where both differences are one and the same; then one reduction.
 */
#include <string.h>

#include "field.h"
#include "field_product.h"

/* r = a^2. r must be apart from a. */
static void square_128(uint8_t r[32], const uint8_t a[16])
{
    struct selo_karatsuba_128 work;
    const uint8_t sign = selo_halves_128(work.d, a);

    memcpy(work.e, work.d, sizeof work.e);
    selo_square_64(r, a);
    selo_square_64(r + 16, a + 8);
    selo_square_64(work.middle, work.d);
    selo_combine_128(r, &work, sign, sign);
}

void selo_field25519_square(uint8_t r[32], const uint8_t a[32])
{
    uint8_t product[64];
    struct selo_karatsuba_256 work;
    const uint8_t sign = selo_halves_256(work.d, a);

    memcpy(work.e, work.d, sizeof work.e);
    square_128(product, a);
    square_128(product + 32, a + 16);
    square_128(work.middle, work.d);
    selo_combine_256(product, &work, sign, sign);
    selo_field25519_reduce(r, product);
}
