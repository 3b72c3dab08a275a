/* Overwriting secrets. */
#include "../../selo.h"

void selo_wipe(void *data, size_t size)
{
    /* volatile: each store is an effect of its own, so no compiler may leave it
     * out, even when it can see that nobody reads the bytes again. */
    volatile uint8_t *bytes = data;
    while (size-- != 0) {
        *bytes++ = 0;
    }
}
