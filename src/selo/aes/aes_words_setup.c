/*
 * AES key schedule in words [FIPS197, 5.2]: w[i] = w[i - Nk] ^ w[i - 1], where the key is Nk words.
 * If Nk divides i, w[i - 1] is first rotated, substituted and combined with the round constant.
 * If Nk is 8 and i is 4 modulo 8, it is substituted.
 */
#include <string.h>

#include "aes_words.h"

#if SELO_AES_WORDS

void selo_aes_words_copy(aes_words_fn *function, const uint8_t *round_keys, uint8_t out[16],
                         const uint8_t in[16], uint8_t rounds)
{
    uint32_t copy[60];

    memcpy(copy, round_keys, 16 * (size_t)(rounds + 1));
    function((const uint8_t *)copy, out, in, rounds);
    selo_wipe(copy, sizeof copy);
}

/* SubWord. */
SELO_INLINE uint32_t substitute(uint32_t w)
{
    return aes_substitute_column(selo_aes_sbox, w, w, w, w);
}

SELO_INLINE void store_word(uint8_t *to, uint32_t word)
{
#if AES_ALIGNED_WORDS
    *(selo_any_word *)(void *)to = word;
#else
    aes_store32(to, word);
#endif
}

static SELO_STACK_APART void setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size)
{
    const uint8_t span = key_size == 24 ? 6 : 4; /* words from one substitution to the next */
    uint8_t left = (uint8_t)(key_size + 28 - key_size / 4); /* words to make: 4 (Nk + 7) - Nk */
    uint8_t constant = 1, rotate = 1;
    const uint8_t *old = round_keys; /* w[i - Nk] */
    uint32_t word = 0;               /* w[i - 1] */

    for (uint8_t i = 0; i != key_size; i = (uint8_t)(i + 4)) {
        word = aes_load32(raw + i);
        store_word(round_keys, word);
        round_keys += 4;
    }
    for (;;) {
        if (rotate) {
            word = substitute(selo_rotate_right(word, 8)) ^ constant;
            constant = aes_xtime(constant);
        } else {
            word = substitute(word);
        }
        rotate ^= key_size == 32; /* 8 words: the substitution in the middle has no rotation */
        for (uint8_t i = span; i != 0; i--) {
            word ^= aes_key_word(old);
            store_word(round_keys, word);
            old += 4;
            round_keys += 4;
            if (--left == 0) {
                return;
            }
        }
    }
}

/* For round keys that are not aligned. */
static SELO_STACK_APART SELO_UNUSED void setup_copy(uint8_t *round_keys, const uint8_t *raw,
                                                    uint8_t key_size)
{
    uint32_t copy[60];

    setup((uint8_t *)copy, raw, key_size);
    memcpy(round_keys, copy, 4 * (size_t)key_size + 112);
    selo_wipe(copy, sizeof copy);
}

void selo_aes_words_setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size)
{
#if AES_ALIGNED_WORDS
    if (((uintptr_t)round_keys & 3) != 0) {
        setup_copy(round_keys, raw, key_size);
        return;
    }
#endif
    setup(round_keys, raw, key_size);
}

#endif
