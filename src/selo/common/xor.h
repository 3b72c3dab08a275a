/*
 * The sum of a message and a key stream, for modes and stream ciphers.
 */
#ifndef SELO_COMMON_XOR_H
#define SELO_COMMON_XOR_H

#include <string.h>

#include "compiler.h"

/* *out = *in + stream, `size` bytes each, at most 255; both pointers move on. *out may be *in. A CPU
 * with words adds four bytes at a time; memcpy becomes a load or a store without alignment. */
SELO_INLINE void selo_xor(uint8_t **out, const uint8_t **in, const uint8_t *stream, uint8_t size)
{
    uint8_t i = 0;
#if !SELO_BYTEWISE
    for (; size - i >= 4; i = (uint8_t)(i + 4)) {
        uint32_t word, other;
        memcpy(&word, *in, 4);
        memcpy(&other, stream + i, 4);
        word ^= other;
        memcpy(*out, &word, 4);
        *out += 4, *in += 4;
    }
#endif
    for (; i < size; i++) {
        *(*out)++ = *(*in)++ ^ stream[i];
    }
}

#endif
