/* Overwrites secrets. */
#include "../../selo.h"

void selo_wipe(void *data, size_t size)
{
    /* volatile: each store is a side effect, so the compiler must not remove it, even
     * if nothing reads the bytes again. */
    volatile uint8_t *bytes = data;
    while (size-- != 0) {
        *bytes++ = 0;
    }
}
