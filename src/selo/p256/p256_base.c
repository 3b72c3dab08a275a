/*
 * The base point times a secret scalar, with a table of its multiples: a signed comb [HEDABOU2005].
 *
 * The scalar, or n minus it, is an odd number M: the sum of +-2^i for i from 0 up. With five teeth, the signs
 * of five powers, 52 apart, are a column: one entry of the table or its opposite. There are 52 columns,
 * each added to twice the sum of those before.
 *
 * The addition has no case for equal or opposite points, nor for the neutral element. None occurs. The
 * sums are odd multiples of the base point, and so are the columns T: no sum is 0. Below the last column
 * they are less than n / 2 + 2^210, so 2 A is T or -T modulo n only in the last one, where M is then n - 2 |T|.
 * tools/p256-table.py computes that none of these numbers has the signs of such a T in its last column.
 */
#include "p256.h"
#include "p256_base.h"

enum { TEETH = SELO_P256_TEETH, COLUMNS = SELO_P256_COLUMNS, ENTRIES = SELO_P256_ENTRIES };

static uint8_t bit(const uint8_t number[33], uint16_t place)
{
    return number[place >> 3] >> (place & 7) & 1;
}

/* The entry = the column. */
static void choose(struct selo_p256_work *w, uint8_t column)
{
    const uint8_t minus = (uint8_t)(bit(w->signs, (uint16_t)((TEETH - 1) * COLUMNS + column)) - 1);
    uint8_t index = 0;

    for (uint8_t tooth = TEETH - 1; tooth-- != 0;) {
        index = (uint8_t)(index << 1 | bit(w->signs, (uint16_t)(tooth * COLUMNS + column)));
    }
    selo_p256_lookup(w->entry.point, (index ^ minus) & (ENTRIES - 1));
    selo_p256_negate_if(w->entry.y, minus);
}

void selo_p256_base(struct selo_p256_work *w)
{
    const uint8_t minus = selo_p256_signs(w->signs);

    /* the highest sign is plus */
    w->signs[(TEETH * COLUMNS - 1) / 8] |= (uint8_t)(1 << (TEETH * COLUMNS - 1) % 8);
    choose(w, COLUMNS - 1);
    selo_p256_begin(w);
    for (uint8_t column = COLUMNS - 1; column-- != 0;) {
        selo_p256_double(w);
        choose(w, column);
        selo_p256_add_entry(w);
    }
    selo_p256_to_affine(w);
    selo_p256_negate_if(w->y, minus);
}
