/* Comparison of secrets without an early exit. */
#include <string.h>

#include "../../selo.h"
#include "compiler.h"

uint8_t selo_equal(const void *a, const void *b, size_t size)
{
    const uint8_t *x = a;
    const uint8_t *y = b;
    /* volatile: the compiler must not conclude that the loop could stop once the
     * difference is not zero. */
#if SELO_GNU && !SELO_BYTEWISE
    volatile uint32_t difference = 0;

    for (; size >= 4; size -= 4, x += 4, y += 4) {
        uint32_t of_x, of_y;
        memcpy(&of_x, x, 4);
        memcpy(&of_y, y, 4);
        difference |= of_x ^ of_y;
    }
    while (size != 0) {
        difference |= (uint32_t)(*x++ ^ *y++);
        size--;
    }
    /* Of a number that is not 0, it or its negative has the highest bit. */
    {
        const uint32_t d = difference;
        return (uint8_t)(1 - ((d | (0 - d)) >> 31));
    }
#else
    volatile uint8_t difference = 0;

    while (size != 0) {
        difference |= (uint8_t)(*x++ ^ *y++);
        size--;
    }
    /* 0 -> 1, 1..255 -> 0: only 0 - 1 borrows into the upper byte. */
    return (uint8_t)((uint16_t)(difference - 1u) >> 8 & 1);
#endif
}
