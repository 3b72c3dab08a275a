/*
 * AES with the vectors of AArch64, without its instructions for AES [FIPS197, 5].
 *
 * The S-box fills sixteen vector registers. tbl takes a byte out of four of them, at an index below
 * 64, and gives 0 for any other index; tbx keeps the byte that stands there. Registers have no
 * cache, and the instructions take the same time for all indices. All of the table is loaded for
 * each block.
 */
#include "aes_wide.h"

#if SELO_AES_WIDE && SELO_NEON

#include <arm_neon.h>

/* The parts of the table as single variables: in an array the compiler moves them through memory. */
#define LOAD_BOX(table) \
    const uint8x16x4_t box_0 = vld1q_u8_x4(table), box_1 = vld1q_u8_x4((table) + 64), \
                       box_2 = vld1q_u8_x4((table) + 128), box_3 = vld1q_u8_x4((table) + 192)
#define SUBSTITUTE(x) substitute(box_0, box_1, box_2, box_3, x)

SELO_INLINE uint8x16_t substitute(const uint8x16x4_t box_0, const uint8x16x4_t box_1,
                                  const uint8x16x4_t box_2, const uint8x16x4_t box_3,
                                  uint8x16_t x)
{
    const uint8x16_t size = vdupq_n_u8(64);
    uint8x16_t y = vqtbl4q_u8(box_0, x);

    x = vsubq_u8(x, size);
    y = vqtbx4q_u8(y, box_1, x);
    x = vsubq_u8(x, size);
    y = vqtbx4q_u8(y, box_2, x);
    x = vsubq_u8(x, size);
    return vqtbx4q_u8(y, box_3, x);
}

/* x times the polynomial x, in each byte [FIPS197, 4.2.1]. */
SELO_INLINE uint8x16_t xtime(uint8x16_t x)
{
    const uint8x16_t top = vcltzq_s8(vreinterpretq_s8_u8(x));

    return veorq_u8(vaddq_u8(x, x), vandq_u8(top, vdupq_n_u8(0x1b)));
}

/* The rows of each column move up by two places. */
SELO_INLINE uint8x16_t rows_by_2(uint8x16_t x)
{
    return vreinterpretq_u8_u16(vrev32q_u16(vreinterpretq_u16_u8(x)));
}

/* MixColumns [FIPS197, 5.1.3]: a' = 2 (a ^ b) ^ b ^ (c ^ d). */
SELO_INLINE uint8x16_t mix_columns(uint8x16_t x, uint8x16_t rows_by_1)
{
    const uint8x16_t next = vqtbl1q_u8(x, rows_by_1);
    const uint8x16_t sum = veorq_u8(x, next);

    return veorq_u8(veorq_u8(xtime(sum), next), rows_by_2(sum));
}

/* The polynomial of InvMixColumns is that of MixColumns times (4x^2 + 5) [FIPS197, 5.3.3]. */
SELO_INLINE uint8x16_t inverse_mix_columns(uint8x16_t x, uint8x16_t rows_by_1)
{
    const uint8x16_t sum = veorq_u8(x, rows_by_2(x));

    return mix_columns(veorq_u8(x, xtime(xtime(sum))), rows_by_1);
}

static const uint8_t next_row[16] = {1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12};
static const uint8_t shift_rows[16] = {0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11};
static const uint8_t inverse_shift_rows[16] = {0, 13, 10, 7, 4, 1, 14, 11,
                                               8, 5,  2,  15, 12, 9, 6, 3};

static uint32_t substitute_word(uint32_t word)
{
    LOAD_BOX(selo_aes_sbox);
    const uint8x16_t x = SUBSTITUTE(vreinterpretq_u8_u32(vdupq_n_u32(word)));

    return vgetq_lane_u32(vreinterpretq_u32_u8(x), 0);
}

void selo_aes_setup_neon(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size, uint8_t words)
{
    aes_expand(round_keys, raw, key_size, words, substitute_word);
}

void selo_aes_encrypt_neon(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds)
{
    LOAD_BOX(selo_aes_sbox);
    const uint8x16_t rows_by_1 = vld1q_u8(next_row), shift = vld1q_u8(shift_rows);
    uint8x16_t s = veorq_u8(vld1q_u8(in), vld1q_u8(round_keys));

    while (--rounds != 0) {
        round_keys += 16;
        s = SUBSTITUTE(vqtbl1q_u8(s, shift));
        s = veorq_u8(mix_columns(s, rows_by_1), vld1q_u8(round_keys));
    }
    s = SUBSTITUTE(vqtbl1q_u8(s, shift));
    vst1q_u8(out, veorq_u8(s, vld1q_u8(round_keys + 16)));
}

void selo_aes_decrypt_neon(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds)
{
    LOAD_BOX(selo_aes_inverse_sbox);
    const uint8x16_t rows_by_1 = vld1q_u8(next_row), shift = vld1q_u8(inverse_shift_rows);
    uint8x16_t s;

    round_keys += 16 * rounds;
    s = veorq_u8(vld1q_u8(in), vld1q_u8(round_keys));
    while (--rounds != 0) {
        round_keys -= 16;
        s = SUBSTITUTE(vqtbl1q_u8(s, shift));
        s = inverse_mix_columns(veorq_u8(s, vld1q_u8(round_keys)), rows_by_1);
    }
    s = SUBSTITUTE(vqtbl1q_u8(s, shift));
    vst1q_u8(out, veorq_u8(s, vld1q_u8(round_keys - 16)));
}

#endif
