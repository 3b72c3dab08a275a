/* Integers in frames and in the record: little-endian [docs/protocol.md, words and bytes]. */
#include "frame.h"

void selo_link_put(uint8_t *at, uint32_t value, uint8_t size)
{
    do {
        *at++ = (uint8_t)value;
        value >>= 8;
    } while (--size != 0);
}

uint32_t selo_link_get(const uint8_t *at, uint8_t size)
{
    uint32_t value = 0;

    do {
        value = value << 8 | at[--size];
    } while (size != 0);
    return value;
}
