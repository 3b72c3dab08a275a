/*
 * AES with the instructions of AArch64 for it [FIPS197, 5]. aese adds a round key, then does
 * ShiftRows and SubBytes; aesmc does MixColumns. aesd and aesimc are their inverses.
 */
#include "aes_wide.h"

#if SELO_AES_WIDE && SELO_ARM_AES

#include <arm_neon.h>

/* The four columns are equal, so ShiftRows changes nothing. */
static uint32_t substitute_word(uint32_t word)
{
    const uint8x16_t x = vaeseq_u8(vreinterpretq_u8_u32(vdupq_n_u32(word)), vdupq_n_u8(0));

    return vgetq_lane_u32(vreinterpretq_u32_u8(x), 0);
}

void selo_aes_setup_arm(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size, uint8_t words)
{
    aes_expand(round_keys, raw, key_size, words, substitute_word);
}

void selo_aes_encrypt_arm(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                          uint8_t rounds)
{
    uint8x16_t s = vld1q_u8(in);

    while (--rounds != 0) {
        s = vaesmcq_u8(vaeseq_u8(s, vld1q_u8(round_keys)));
        round_keys += 16;
    }
    s = vaeseq_u8(s, vld1q_u8(round_keys));
    vst1q_u8(out, veorq_u8(s, vld1q_u8(round_keys + 16)));
}

/* The equivalent inverse cipher: all round keys but the first and the last go through
 * InvMixColumns [FIPS197, 5.3.5]. */
void selo_aes_decrypt_arm(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                          uint8_t rounds)
{
    uint8x16_t s = vld1q_u8(in), key = vld1q_u8(round_keys + 16 * rounds);

    while (--rounds != 0) {
        s = vaesimcq_u8(vaesdq_u8(s, key));
        key = vaesimcq_u8(vld1q_u8(round_keys + 16 * rounds));
    }
    s = vaesdq_u8(s, key);
    vst1q_u8(out, veorq_u8(s, vld1q_u8(round_keys)));
}

#endif
