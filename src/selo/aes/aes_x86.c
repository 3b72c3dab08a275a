/*
 * AES with the instructions of x86-64 for it [FIPS197, 5]. aesenc does ShiftRows, SubBytes,
 * MixColumns and AddRoundKey; aesenclast leaves MixColumns out. aesdec and aesdeclast do the
 * inverse steps. Not every CPU has these instructions: aes_wide.c asks for them at run time.
 */
#include "aes_wide.h"

#if SELO_AES_WIDE && SELO_X86

#include <immintrin.h>

SELO_INLINE __m128i load(const uint8_t p[16])
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

SELO_INLINE void store(uint8_t p[16], __m128i x)
{
    _mm_storeu_si128((__m128i *)(void *)p, x);
}

/* The four columns are equal, so ShiftRows changes nothing. */
SELO_TARGET("aes") static uint32_t substitute_word(uint32_t word)
{
    const __m128i x = _mm_aesenclast_si128(_mm_set1_epi32((int)word), _mm_setzero_si128());

    return (uint32_t)_mm_cvtsi128_si32(x);
}

SELO_TARGET("aes") void selo_aes_setup_x86(uint8_t *round_keys, const uint8_t *raw,
                                           uint8_t key_size, uint8_t words)
{
    aes_expand(round_keys, raw, key_size, words, substitute_word);
}

SELO_TARGET("aes") void selo_aes_encrypt_x86(const uint8_t *round_keys, uint8_t out[16],
                                             const uint8_t in[16], uint8_t rounds)
{
    __m128i s = _mm_xor_si128(load(in), load(round_keys));

    while (--rounds != 0) {
        round_keys += 16;
        s = _mm_aesenc_si128(s, load(round_keys));
    }
    store(out, _mm_aesenclast_si128(s, load(round_keys + 16)));
}

/* The equivalent inverse cipher: all round keys but the first and the last go through
 * InvMixColumns [FIPS197, 5.3.5]. */
SELO_TARGET("aes") void selo_aes_decrypt_x86(const uint8_t *round_keys, uint8_t out[16],
                                             const uint8_t in[16], uint8_t rounds)
{
    __m128i s;

    round_keys += 16 * rounds;
    s = _mm_xor_si128(load(in), load(round_keys));
    while (--rounds != 0) {
        round_keys -= 16;
        s = _mm_aesdec_si128(s, _mm_aesimc_si128(load(round_keys)));
    }
    store(out, _mm_aesdeclast_si128(s, load(round_keys - 16)));
}

#endif
