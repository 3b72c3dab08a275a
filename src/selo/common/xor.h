/*
 * The sum of a message and a key stream, for modes and stream ciphers.
 */
#ifndef SELO_COMMON_XOR_H
#define SELO_COMMON_XOR_H

#include <string.h>

#include "../native/api.h"
#include "compiler.h"
#include "wide.h"

#if SELO_WIDE
typedef uint64_t selo_xor_word;
#else
typedef uint32_t selo_xor_word;
#endif

/* *out = *in + stream, `size` bytes each, at most 255; both pointers move on. *out may be *in. A CPU
 * with words adds one of them at a time; memcpy becomes a load or a store without alignment. */
SELO_INLINE void selo_xor(uint8_t **out, const uint8_t **in, const uint8_t *stream, uint8_t size)
{
    uint8_t i = 0;
#if !SELO_BYTEWISE
    for (; size - i >= 16; i = (uint8_t)(i + 16)) {
        selo_xor_16(*out, *in, stream + i);
        *out += 16, *in += 16;
    }
    for (; (size_t)(size - i) >= sizeof(selo_xor_word); i = (uint8_t)(i + sizeof(selo_xor_word))) {
        selo_xor_word word, other;
        memcpy(&word, *in, sizeof word);
        memcpy(&other, stream + i, sizeof other);
        word ^= other;
        memcpy(*out, &word, sizeof word);
        *out += sizeof word, *in += sizeof word;
    }
#endif
    for (; i < size; i++) {
        *(*out)++ = *(*in)++ ^ stream[i];
    }
}

#endif
