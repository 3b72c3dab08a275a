/*
 * The words in which the portable code computes: as wide as the CPU's multiplier, so that products of
 * two words and their sums take constant time (native/api.h, SELO_X25519_WORDS and SELO_X25519_HALVES,
 * which depend on the CPU and not on the curve).
 */
#ifndef SELO_P256_FIELD_WORD_H
#define SELO_P256_FIELD_WORD_H

#include <stdint.h>

#include "../native/api.h"

#if !SELO_X25519_WORDS
typedef uint8_t word_t;
typedef uint16_t wide_t;
enum { BITS = 8 };
#elif SELO_X25519_HALVES
typedef uint16_t word_t;
typedef uint32_t wide_t;
enum { BITS = 16 };
#else
typedef uint32_t word_t;
typedef uint64_t wide_t;
enum { BITS = 32 };
#endif
enum { WORDS = 256 / BITS, BYTES = BITS / 8 };

static inline word_t load_word(const uint8_t *bytes)
{
    word_t word = 0;

    for (uint8_t i = BYTES; i-- != 0;) {
        word = (word_t)((wide_t)word << 8 | bytes[i]);
    }
    return word;
}

static inline void store_word(uint8_t *bytes, word_t word)
{
    for (uint8_t i = 0; i < BYTES; i++) {
        bytes[i] = (uint8_t)word;
        word = (word_t)((wide_t)word >> 8);
    }
}

#endif
