/*
 * Multiplication modulo 2^255 - 19: two levels of Karatsuba, 32 -> 16 -> 8
 * bytes, over a product of 8 bytes in registers; then one reduction.
 */
#include "field.h"
#include "field_product.h"

/* r = a b. r must be apart from a and b. */
static void multiply_128(uint8_t r[32], const uint8_t a[16], const uint8_t b[16])
{
    uint8_t work[32];
    uint8_t *const d = work + 16, *const e = work + 24;
    const uint8_t d_sign = selo_halves_128(d, a);
    const uint8_t e_sign = selo_halves_128(e, b);

    selo_multiply_64(r, a, b);
    selo_multiply_64(r + 16, a + 8, b + 8);
    selo_multiply_64(work, d, e);
    selo_combine_128(r, work, d_sign, e_sign);
}

void selo_field25519_multiply_bytes(uint8_t r[32], const uint8_t a[32], const uint8_t b[32])
{
    uint8_t product[64], work[64];
    uint8_t *const d = work + 32, *const e = work + 48;
    const uint8_t d_sign = selo_halves_256(d, a);
    const uint8_t e_sign = selo_halves_256(e, b);

    multiply_128(product, a, b);
    multiply_128(product + 32, a + 16, b + 16);
    multiply_128(work, d, e);
    selo_combine_256(product, work, d_sign, e_sign);
    selo_field25519_reduce(r, product);
}
