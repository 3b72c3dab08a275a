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
    if (((uintptr_t)data & 3) == 0) { /* whole words, four in a turn of the loop */
        volatile selo_any_word *words = data, *end = words + (size >> 4 << 2);
        for (; words != end; words += 4) {
            words[0] = 0;
            words[1] = 0;
            words[2] = 0;
            words[3] = 0;
        }
        for (end += size >> 2 & 3; words != end; words++) {
            *words = 0;
        }
        bytes = (volatile uint8_t *)words;
        size &= 3;
    }
#endif
    while (size-- != 0) {
        *bytes++ = 0;
    }
#endif
}
