/* Comparison of secrets without an early exit. */
#include "../../selo.h"

uint8_t selo_equal(const void *a, const void *b, size_t size)
{
    const uint8_t *x = a;
    const uint8_t *y = b;
    /* volatile: the compiler must not conclude that the loop could stop once the
     * difference is not zero. */
    volatile uint8_t difference = 0;

    while (size != 0) {
        difference |= (uint8_t)(*x++ ^ *y++);
        size--;
    }
    /* 0 -> 1, 1..255 -> 0: only 0 - 1 borrows into the upper byte. */
    return (uint8_t)((uint16_t)(difference - 1u) >> 8 & 1);
}
