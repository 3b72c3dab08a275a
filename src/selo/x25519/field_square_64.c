/*
 * The square of 8 bytes -> 16 bytes, column by column: each product of two
 * different bytes is computed once and counted twice, 36 products instead of 64.
 */
#include "../common/column.h"
#include "field_product.h"

/* pairs <= 4 * 255 * 255, so that twice it and the carry stay below 2^20. */
#define PAIR(i, j) pairs += (uint16_t)((uint16_t)a##i * a##j);
#define TWICE \
    column += pairs; \
    column += pairs; \
    pairs = 0;
#define ONCE(i) column += (uint16_t)((uint16_t)a##i * a##i);
#define NEXT \
    *r++ = (uint8_t)column; \
    column = SELO_COLUMN_CARRY(column);

void selo_square_64(uint8_t r[restrict 16], const uint8_t a[8])
{
    const uint8_t a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    const uint8_t a4 = a[4], a5 = a[5], a6 = a[6], a7 = a[7];
    selo_column column = 0, pairs = 0;

    ONCE(0) NEXT
    PAIR(0, 1) TWICE NEXT
    PAIR(0, 2) TWICE ONCE(1) NEXT
    PAIR(0, 3) PAIR(1, 2) TWICE NEXT
    PAIR(0, 4) PAIR(1, 3) TWICE ONCE(2) NEXT
    PAIR(0, 5) PAIR(1, 4) PAIR(2, 3) TWICE NEXT
    PAIR(0, 6) PAIR(1, 5) PAIR(2, 4) TWICE ONCE(3) NEXT
    PAIR(0, 7) PAIR(1, 6) PAIR(2, 5) PAIR(3, 4) TWICE NEXT
    PAIR(1, 7) PAIR(2, 6) PAIR(3, 5) TWICE ONCE(4) NEXT
    PAIR(2, 7) PAIR(3, 6) PAIR(4, 5) TWICE NEXT
    PAIR(3, 7) PAIR(4, 6) TWICE ONCE(5) NEXT
    PAIR(4, 7) PAIR(5, 6) TWICE NEXT
    PAIR(5, 7) TWICE ONCE(6) NEXT
    PAIR(6, 7) TWICE NEXT
    ONCE(7) NEXT
    *r = (uint8_t)column;
}
