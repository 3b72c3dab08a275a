/*
 * The block step of Poly1305 in bytes, for 8-bit CPUs: a product by columns, then a reduction that
 * uses 2^130 = 5 modulo 2^130 - 5.
 */
#include "../common/column.h"
#include "poly1305.h"

#if SELO_BYTEWISE && !SELO_NATIVE_POLY1305

/* column + a[0] b[n - 1] + a[1] b[n - 2] + ... + a[n - 1] b[0]. b_end points after b[n - 1]. */
static SELO_APART selo_column add_products(selo_column column, const uint8_t *a, const uint8_t *b_end,
                                       uint8_t n)
{
    do {
        b_end--;
        column += (selo_column)((uint16_t)*a * *b_end);
        a++;
    } while (--n != 0);
    return column;
}

/* product = a b; a < 2^131 and b < 2^124, so 32 bytes hold it. */
static SELO_APART void multiply(uint8_t product[32], const uint8_t a[17], const uint8_t b[16])
{
    selo_column column = 0;
    const uint8_t *b_end = b;
    uint8_t n;

    for (n = 1; n <= 16; n++) {
        b_end++;
        column = add_products(column, a, b_end, n);
        *product++ = (uint8_t)column;
        column = SELO_COLUMN_CARRY(column);
    }
    for (n = 16; n != 0; n--) {
        a++;
        column = add_products(column, a, b_end, n);
        *product++ = (uint8_t)column;
        column = SELO_COLUMN_CARRY(column);
    }
}

void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17])
{
    uint8_t product[33]; /* its last byte is 0 */
    uint8_t *sum = mac->sum;
    uint16_t carry = 0;

    for (uint8_t i = 0; i < 17; i++) {
        carry = (uint16_t)(carry + sum[i] + block[i]);
        sum[i] = (uint8_t)carry;
        carry >>= 8;
    }
    multiply(product, sum, mac->multiplier);
    product[32] = 0;
    /* The low 130 bits, plus 5 times the bits above. 5 times is 4 times plus once, and 4 times
     * begins at bit 128, at a byte boundary. */
    for (uint8_t i = 0; i < 17; i++) {
        uint8_t low = i == 16 ? product[16] & 3 : product[i];
        uint8_t four = i == 0 ? product[16] & 0xfc : product[16 + i];
        uint8_t one = (uint8_t)((product[16 + i] >> 2) | (i == 16 ? 0 : product[17 + i] << 6));
        carry = (uint16_t)(carry + low + four + one);
        sum[i] = (uint8_t)carry;
        carry >>= 8;
    }
    selo_wipe(product, sizeof product);
}

#endif
