/*
 * The words in which the portable code computes: as wide as the CPU's multiplier, so that products of
 * two words and their sums take constant time (native/api.h, SELO_X25519_WORDS and SELO_X25519_HALVES,
 * which depend on the CPU and not on the curve).
 *
 * Words in memory are little-endian bytes. Each is written as one expression, of which compilers make one
 * instruction where the CPU has it.
 */
#ifndef SELO_P256_FIELD_WORD_H
#define SELO_P256_FIELD_WORD_H

#include <stdint.h>

#include "../native/api.h"

#if !SELO_X25519_WORDS
typedef uint8_t word_t;
typedef uint16_t wide_t;
enum { BITS = 8 };

static inline word_t load_word(const uint8_t *bytes)
{
    return *bytes;
}

static inline void store_word(uint8_t *bytes, word_t word)
{
    *bytes = word;
}
#elif SELO_X25519_HALVES
typedef uint16_t word_t;
typedef uint32_t wide_t;
enum { BITS = 16 };

static inline word_t load_word(const uint8_t *bytes)
{
    return (word_t)(bytes[0] | bytes[1] << 8);
}

static inline void store_word(uint8_t *bytes, word_t word)
{
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
}
#else
typedef uint32_t word_t;
typedef uint64_t wide_t;
enum { BITS = 32 };

static inline word_t load_word(const uint8_t *bytes)
{
    return (word_t)bytes[0] | (word_t)bytes[1] << 8 | (word_t)bytes[2] << 16 | (word_t)bytes[3] << 24;
}

static inline void store_word(uint8_t *bytes, word_t word)
{
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
    bytes[2] = (uint8_t)(word >> 16);
    bytes[3] = (uint8_t)(word >> 24);
}
#endif
enum { WORDS = 256 / BITS, BYTES = BITS / 8, AT_96 = 96 / BITS, AT_192 = 192 / BITS, AT_224 = 224 / BITS };

#endif
