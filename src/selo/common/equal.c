/* Comparison of secrets without an early exit. */
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

    if ((((uintptr_t)x | (uintptr_t)y) & 3) == 0) { /* whole words */
        for (; size >= 4; size -= 4, x += 4, y += 4) {
            difference |= *(const selo_any_word *)(const void *)x ^
                          *(const selo_any_word *)(const void *)y;
        }
    }
    while (size != 0) {
        difference |= (uint32_t)(*x++ ^ *y++);
        size--;
    }
    /* Of a number that is not 0, it or its negative has the highest bit. */
    return (uint8_t)(1 - ((difference | (0 - difference)) >> 31));
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
