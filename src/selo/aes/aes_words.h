/*
 * AES with tables on a CPU with words of 32 bits: a column of the state is a word, row 0 lowest
 * [FIPS197, 3.4].
 *
 * Secret bytes index the tables, so this takes constant time only where no cache lies between the
 * core and the tables. Only SELO_AES_TABLES=1 compiles it. With SELO_AES_SBOX_IN_RAM=1 the tables
 * are in RAM, for chips whose flash has a cache and whose RAM has none.
 */
#ifndef SELO_AES_WORDS_H
#define SELO_AES_WORDS_H

#include "../common/rotate.h"
#include "aes.h"

extern SELO_AES_TABLE uint32_t selo_aes_columns[256];

#if SELO_AES_WORDS

/* The key schedule: raw[key_size] to round_keys[16 * (key_size / 4 + 7)] [FIPS197, 5.2]. */
void selo_aes_words_setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size);

/* One block; a function of this kind needs aligned round keys with AES_ALIGNED_WORDS. */
typedef void aes_words_fn(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                          uint8_t rounds);

/* Calls it with an aligned copy of the round keys, which is wiped. */
void selo_aes_words_copy(aes_words_fn *function, const uint8_t *round_keys, uint8_t out[16],
                         const uint8_t in[16], uint8_t rounds);

/* 1 where words can be loaded and stored as they are. Elsewhere the compiler knows what single
 * bytes mean, or has to move them one by one. */
#if SELO_STRICT_WORDS && SELO_GNU && defined(__BYTE_ORDER__) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define AES_ALIGNED_WORDS 1
#else
#define AES_ALIGNED_WORDS 0
#endif

/* Calls it, with a copy if the round keys are not aligned. */
SELO_INLINE void aes_words_call(aes_words_fn *function, const uint8_t *round_keys, uint8_t out[16],
                                const uint8_t in[16], uint8_t rounds)
{
#if AES_ALIGNED_WORDS
    if (((uintptr_t)round_keys & 3) != 0) {
        selo_aes_words_copy(function, round_keys, out, in, rounds);
        return;
    }
#endif
    function(round_keys, out, in, rounds);
}

/* A word of a round key. With AES_ALIGNED_WORDS the round keys must be aligned. */
SELO_INLINE uint32_t aes_key_word(const uint8_t *key)
{
#if AES_ALIGNED_WORDS
    return *(const selo_any_word *)(const void *)key;
#else
    return aes_load32(key);
#endif
}

/* A block to four columns, and back. Where the block lies is no secret. */
SELO_INLINE void aes_load_columns(uint32_t s[4], const uint8_t in[16])
{
#if AES_ALIGNED_WORDS
    if (((uintptr_t)in & 3) == 0) {
        const selo_any_word *words = (const selo_any_word *)(const void *)in;
        s[0] = words[0], s[1] = words[1], s[2] = words[2], s[3] = words[3];
        return;
    }
#endif
    s[0] = aes_load32(in), s[1] = aes_load32(in + 4);
    s[2] = aes_load32(in + 8), s[3] = aes_load32(in + 12);
}

SELO_INLINE void aes_store_columns(uint8_t out[16], const uint32_t s[4])
{
#if AES_ALIGNED_WORDS
    if (((uintptr_t)out & 3) == 0) {
        selo_any_word *words = (selo_any_word *)(void *)out;
        words[0] = s[0], words[1] = s[1], words[2] = s[2], words[3] = s[3];
        return;
    }
#endif
    aes_store32(out, s[0]), aes_store32(out + 4, s[1]);
    aes_store32(out + 8, s[2]), aes_store32(out + 12, s[3]);
}

/* s += the round key. */
SELO_INLINE void aes_add_key_words(uint32_t s[4], const uint8_t *key)
{
    s[0] ^= aes_key_word(key), s[1] ^= aes_key_word(key + 4);
    s[2] ^= aes_key_word(key + 8), s[3] ^= aes_key_word(key + 12);
}

/* A column whose rows 0 to 3 are those of these columns, each byte replaced. */
SELO_INLINE uint32_t aes_substitute_column(SELO_AES_TABLE uint8_t *box, uint32_t row0,
                                           uint32_t row1, uint32_t row2, uint32_t row3)
{
    return (uint32_t)box[row0 & 0xff] | (uint32_t)box[row1 >> 8 & 0xff] << 8 |
           (uint32_t)box[row2 >> 16 & 0xff] << 16 | (uint32_t)box[row3 >> 24] << 24;
}

/* aes_xtime of four bytes. */
SELO_INLINE uint32_t aes_xtime_word(uint32_t x)
{
    const uint32_t high = x & 0x80808080;
    return (x ^ high) << 1 ^ ((high - (high >> 7)) & 0x1b1b1b1b);
}

#endif

#endif
