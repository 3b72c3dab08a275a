/*
 * 8 x 8 bytes -> 16 bytes, column by column (product scanning): all operands in
 * registers of an 8-bit machine with 32 of them, unrolled.
 */
#include "../common/column.h"
#include "field_product.h"

#define MAC(i, j) column += (uint16_t)((uint16_t)a##i * b##j);
#define NEXT \
    *r++ = (uint8_t)column; \
    column = SELO_COLUMN_CARRY(column);

void selo_multiply_64(uint8_t r[restrict 16], const uint8_t a[8], const uint8_t b[8])
{
    const uint8_t a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    const uint8_t a4 = a[4], a5 = a[5], a6 = a[6], a7 = a[7];
    const uint8_t b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
    const uint8_t b4 = b[4], b5 = b[5], b6 = b[6], b7 = b[7];
    selo_column column = 0;

    MAC(0, 0) NEXT
    MAC(0, 1) MAC(1, 0) NEXT
    MAC(0, 2) MAC(1, 1) MAC(2, 0) NEXT
    MAC(0, 3) MAC(1, 2) MAC(2, 1) MAC(3, 0) NEXT
    MAC(0, 4) MAC(1, 3) MAC(2, 2) MAC(3, 1) MAC(4, 0) NEXT
    MAC(0, 5) MAC(1, 4) MAC(2, 3) MAC(3, 2) MAC(4, 1) MAC(5, 0) NEXT
    MAC(0, 6) MAC(1, 5) MAC(2, 4) MAC(3, 3) MAC(4, 2) MAC(5, 1) MAC(6, 0) NEXT
    MAC(0, 7) MAC(1, 6) MAC(2, 5) MAC(3, 4) MAC(4, 3) MAC(5, 2) MAC(6, 1) MAC(7, 0) NEXT
    MAC(1, 7) MAC(2, 6) MAC(3, 5) MAC(4, 4) MAC(5, 3) MAC(6, 2) MAC(7, 1) NEXT
    MAC(2, 7) MAC(3, 6) MAC(4, 5) MAC(5, 4) MAC(6, 3) MAC(7, 2) NEXT
    MAC(3, 7) MAC(4, 6) MAC(5, 5) MAC(6, 4) MAC(7, 3) NEXT
    MAC(4, 7) MAC(5, 6) MAC(6, 5) MAC(7, 4) NEXT
    MAC(5, 7) MAC(6, 6) MAC(7, 5) NEXT
    MAC(6, 7) MAC(7, 6) NEXT
    MAC(7, 7) NEXT
    *r = (uint8_t)column;
}
