/*
 * AES for CPUs with words of 64 bits. They have caches, so no form reads a table at a secret index.
 *
 *  sliced  the S-box as a circuit, on the bits of a block that stand in 8 words. Any such CPU
 *  neon    the S-box in vector registers
 *  arm     the instructions of AArch64 for AES
 *  x86     the instructions of x86-64 for AES
 *
 * Each form has the same three functions and the same round keys, those of [FIPS197, 5.2]. So a
 * form may encrypt with round keys that another has made. `rounds` is 10, 12 or 14, out may equal in.
 * _setup makes `words` words of 4 bytes: 4 (rounds + 1), or more (AES small).
 */
#ifndef SELO_AES_WIDE_H
#define SELO_AES_WIDE_H

#include <string.h>

#include "aes.h"

#if SELO_AES_WIDE

#define AES_WIDE_FORM(form) \
    void selo_aes_setup_##form(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size, \
                               uint8_t words); \
    void selo_aes_encrypt_##form(const uint8_t *round_keys, uint8_t out[16], \
                                 const uint8_t in[16], uint8_t rounds); \
    void selo_aes_decrypt_##form(const uint8_t *round_keys, uint8_t out[16], \
                                 const uint8_t in[16], uint8_t rounds);
AES_WIDE_FORM(sliced)
#if SELO_NEON
AES_WIDE_FORM(neon)
#endif
#if SELO_ARM_AES
AES_WIDE_FORM(arm)
#endif
#if SELO_X86
AES_WIDE_FORM(x86)
#endif
#undef AES_WIDE_FORM

/* A word of 4 bytes. The CPU is little-endian (native/api.h). */
typedef uint32_t aes_substitute_fn(uint32_t word);

/*
 * The key schedule [FIPS197, 5.2]: w[i] = w[i - Nk] ^ w[i - 1]. If Nk divides i, w[i - 1] is first
 * rotated, substituted and combined with the round constant. If Nk is 8 and i is 4 modulo 8, it is
 * substituted.
 */
SELO_INLINE void aes_expand(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size,
                            uint8_t words, aes_substitute_fn *substitute)
{
    const uint8_t nk = key_size / 4;
    const uint8_t *const end = round_keys + 4 * words;
    uint8_t *next = round_keys + key_size;
    uint8_t constant = 1;
    uint32_t word, old;

    memcpy(round_keys, raw, key_size);
    memcpy(&word, raw + key_size - 4, 4);
    for (;;) {
        word = substitute(word >> 8 | word << 24) ^ constant;
        constant = aes_xtime(constant);
        for (uint8_t i = 0; i < nk; i++) {
            if (i == 4 && nk == 8) {
                word = substitute(word);
            }
            memcpy(&old, next - key_size, 4);
            word ^= old;
            memcpy(next, &word, 4);
            next += 4;
            if (next == end) {
                return;
            }
        }
    }
}

#endif

#endif
