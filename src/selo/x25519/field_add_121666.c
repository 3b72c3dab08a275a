/*
 * a + 121666 b modulo 2^255 - 19, in one pass: the one multiplication by a
 * constant of a ladder step. 121666 is 66 + 219 * 256 + 65536, so byte i of the
 * product takes from bytes i, i - 1 and i - 2 of b.
 */
#include "field.h"
#include "../common/column.h"

/* A sum of this shape is at most 255 (1 + 66 + 219 + 1) and a carry. */
#define ADD(a0, b0, b1, b2) \
    sum += (a0); \
    sum += (uint16_t)((uint16_t)66 * (b0)); \
    sum += (uint16_t)((uint16_t)219 * (b1)); \
    sum += (b2);

void selo_field25519_add_121666_bytes(uint8_t a[32], const uint8_t b[32])
{
    /*
     * First the quotient by 2^255, from the highest bytes: what they leave out is
     * below 2^240 of a, 66 * 2^240 and 121666 * 2^232 of the product, together less
     * than 3 * 2^248 and 2^255. So the quotient is right or one less, and what
     * remains is below 2^255 + 3 * 2^248. Sums stay below 2^17, the quotient below
     * 2^18.
     */
    selo_column sum = 0;
    ADD(a[30], b[30], b[29], 0)
    sum = SELO_COLUMN_CARRY(sum);
    ADD(a[31], b[31], b[30], b[29])
    const selo_column top = (selo_column)((uint16_t)((uint16_t)219 * b[31]) + (selo_column)b[30])
                            + (selo_column)b[31] * 256;
    const selo_column quotient = top * 2 + (selo_column)((selo_column_bits)sum >> 7);

    /* Fold 19 times it; the first sum stays below 2^23. */
    sum = quotient * 19;
    uint8_t b1 = 0, b2 = 0;
    for (uint8_t i = 0; i < 32; i++) {
        const uint8_t b0 = b[i];
        ADD(a[i], b0, b1, b2)
        a[i] = (uint8_t)sum;
        sum = SELO_COLUMN_CARRY(sum);
        b2 = b1;
        b1 = b0;
    }
    /* The difference is below 2^256: its highest byte may be computed modulo 256. */
    a[31] = (uint8_t)(a[31] - (uint8_t)((uint8_t)quotient << 7));
}
