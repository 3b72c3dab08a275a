/* Poly1305: messages in blocks of 16 bytes [RFC8439, 2.5.1, 2.8]. */
#include <string.h>

#include "poly1305.h"

#if !SELO_POLY1305_WIDE

void selo_poly1305_padded(struct selo_poly1305 *mac, const uint8_t *data, size_t size)
{
    uint8_t block[17];

    block[16] = 1;
#if SELO_NATIVE_POLY1305 && !SELO_BYTEWISE
    if (size >= 16) {
        selo_poly1305_blocks(mac, data, size / 16);
        data += size & ~(size_t)15;
        size &= 15;
    }
#elif !SELO_BYTEWISE
    for (; size >= 16; size -= 16) { /* a whole block at once */
        memcpy(block, data, 16);
        data += 16;
        selo_poly1305_block(mac, block);
    }
#endif
    while (size != 0) {
        for (uint8_t i = 0; i < 16; i++) {
            if (size != 0) {
                block[i] = *data++;
                size--;
            } else {
                block[i] = 0;
            }
        }
        selo_poly1305_block(mac, block);
    }
}

#endif
