/*
 * Internal declarations shared by the files of Ascon [SP800-232]. The standard is little-endian
 * [SP800-232, A.1]. The submissions before it were big-endian.
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_ASCON_H
#define SELO_ASCON_H

#include <string.h>

#include "../../selo.h"
#include "../common/bytewise.h"
#include "../native/api.h"

/* 1 where the state may be taken in words, or in bytes in the order of their addresses: on a CPU
 * that is known to be little-endian. */
#if defined(__BYTE_ORDER__) && !SELO_PLAIN_C && !SELO_BYTEWISE
#define ASCON_WORDS (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#else
#define ASCON_WORDS 0
#endif

/* Adds a byte to the state: byte 0 is the least significant of word 0 [SP800-232, A.1]. */
static inline void selo_ascon_add_byte(uint64_t state[5], uint8_t position, uint8_t byte)
{
#if SELO_BYTEWISE || ASCON_WORDS
    ((uint8_t *)state)[position] ^= byte;
#else
    state[position / 8] ^= (uint64_t)byte << 8 * (position % 8);
#endif
}

/* Adds 16 bytes to words 0 and 1 of `words`. */
#if ASCON_WORDS
SELO_INLINE void ascon_add_16(uint64_t words[2], const uint8_t bytes[16])
{
    uint64_t word;

    memcpy(&word, bytes, 8);
    words[0] ^= word;
    memcpy(&word, bytes + 8, 8);
    words[1] ^= word;
}
#endif

/* Byte `position` of the state. */
static inline uint8_t selo_ascon_byte(const uint64_t state[5], uint8_t position)
{
#if SELO_BYTEWISE || ASCON_WORDS
    return ((const uint8_t *)state)[position];
#else
    return (uint8_t)(state[position / 8] >> 8 * (position % 8));
#endif
}

/* Processes everything before the message: initialization, associated data and the bit that
 * separates it from the message [SP800-232, 4.1.1]. */
void selo_ascon_aead128_begin(uint64_t state[5], const uint8_t key[16],
                              const struct selo_header *header);

/* Returns 1 if the algorithm accepts these sizes [SP800-232, 4.2], else 0. */
static inline uint8_t selo_ascon_aead128_takes(const struct selo_header *header)
{
    return header->nonce_size == 16 && header->tag_size >= 4 && header->tag_size <= 16;
}

/* Writes the tag and wipes the state [SP800-232, 4.1.1]. The whole message must be in the state;
 * `rest` is the number of its bytes after the last whole block. */
void selo_ascon_aead128_end(uint64_t state[5], const uint8_t key[16], uint8_t rest,
                            uint8_t tag[16]);

#endif
