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
    uint8_t work[32];
    uint8_t *const d = work + 16, *const e = work + 24;
    const uint8_t sign = selo_halves_128(d, a);

    memcpy(e, d, 8);
    selo_square_64(r, a);
    selo_square_64(r + 16, a + 8);
    selo_square_64(work, d);
    selo_combine_128(r, work, sign, sign);
}

void selo_field25519_square_bytes(uint8_t r[32], const uint8_t a[32])
{
    uint8_t product[64], work[64];
    uint8_t *const d = work + 32, *const e = work + 48;
    const uint8_t sign = selo_halves_256(d, a);

    memcpy(e, d, 16);
    square_128(product, a);
    square_128(product + 32, a + 16);
    square_128(work, d);
    selo_combine_256(product, work, sign, sign);
    selo_field25519_reduce(r, product);
}
