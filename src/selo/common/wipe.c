/* Overwrites secrets. */
#include <string.h>

#include "../../selo.h"
#include "compiler.h"

void selo_wipe(void *data, size_t size)
{
#if SELO_WIDE && SELO_GNU
    if (size != 0) { /* data may be NULL then */
        memset(data, 0, size);
    }
    SELO_KEEP(data);
#else
    /* volatile: each store is a side effect, so the compiler must not remove it, even
     * if nothing reads the bytes again. */
    volatile uint8_t *bytes = data;
#if SELO_GNU && !SELO_BYTEWISE
    if (((uintptr_t)data & 3) == 0) { /* whole words */
        volatile selo_any_word *words = data;
        for (; size >= 4; size -= 4) {
            *words++ = 0;
        }
        bytes = (volatile uint8_t *)words;
    }
#endif
    while (size-- != 0) {
        *bytes++ = 0;
    }
#endif
}
