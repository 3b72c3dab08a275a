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
#include "../common/wide.h"
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

#if ASCON_WORDS
/* Adds 16 bytes to words 0 and 1 of `words`. */
SELO_INLINE void ascon_add_16(uint64_t words[2], const uint8_t bytes[16])
{
    selo_xor_16((uint8_t *)words, (const uint8_t *)words, bytes);
}

/* A whole block: out = state + in, and the state becomes the ciphertext, which is out for encryption and
 * in for decryption. out may be in. */
#if SELO_STRICT_WORDS
/* Where a buffer lies is no secret. Bytes make a word, so that the state is taken in words. */
SELO_INLINE uint32_t ascon_load(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

SELO_INLINE void ascon_store(uint8_t *p, uint32_t word)
{
    p[0] = (uint8_t)word, p[1] = (uint8_t)(word >> 8);
    p[2] = (uint8_t)(word >> 16), p[3] = (uint8_t)(word >> 24);
}

#define ASCON_BLOCK_FUNCTION(name, ciphertext) \
    static SELO_STACK_APART SELO_UNUSED void name(uint64_t state[5], uint8_t *out, const uint8_t *in) \
    { \
        selo_any_word *words = (selo_any_word *)(void *)state; \
        uint32_t part, sum; \
        if ((((uintptr_t)out | (uintptr_t)in) & 3) == 0) { \
            selo_any_word *to = (selo_any_word *)(void *)out; \
            const selo_any_word *from = (const selo_any_word *)(const void *)in; \
            for (uint8_t i = 0; i < 4; i++) { \
                part = *from++, sum = *words ^ part; \
                *to++ = sum, *words++ = (ciphertext); \
            } \
        } else { \
            for (uint8_t i = 0; i < 4; i++) { \
                part = ascon_load(in), sum = *words ^ part; \
                ascon_store(out, sum), *words++ = (ciphertext); \
                in += 4, out += 4; \
            } \
        } \
    }
ASCON_BLOCK_FUNCTION(ascon_encrypt_16, sum)
ASCON_BLOCK_FUNCTION(ascon_decrypt_16, part)
#else
SELO_INLINE void ascon_encrypt_16(uint64_t state[5], uint8_t *out, const uint8_t *in)
{
    ascon_add_16(state, in);
    memcpy(out, state, 16);
}

SELO_INLINE void ascon_decrypt_16(uint64_t state[5], uint8_t *out, const uint8_t *in)
{
    uint64_t first, second;

    memcpy(&first, in, 8);
    memcpy(&second, in + 8, 8);
    ascon_add_16(state, in); /* the text; the state then becomes the ciphertext */
    memcpy(out, state, 8);
    memcpy(out + 8, state + 1, 8);
    state[0] = first;
    state[1] = second;
}
#endif
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
