/*
 * AES decryption of one block or two without tables on Xtensa with the call0 ABI.
 *
 *   void selo_aes_sliced_decrypt_two(const uint8_t *round_keys, uint8_t out[32],
 *                                    const uint8_t in[32], uint8_t rounds);
 *   void selo_aes_fast_decrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
 *                              uint8_t rounds);
 *
 * out = the plaintext of in [FIPS197, 5.3]. The arguments are those of aes_encrypt_xtensa.S.
 *
 * The steps of aes_encrypt_xtensa.S backwards. InvMixColumns is MixColumns after an addition of 4
 * (a + c) to a and c, as in aes/aes_state.h.
 *
 * Cost of selo_aes_sliced_decrypt_two with 10 rounds: 3,857 instructions, 112 bytes of stack, 3,079
 * bytes of flash (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES && SELO_BACKEND_XTENSA

#include "aes_sliced.inc"
#include "aes_inverse_substitute.inc"

/* to += this row + the row two rows on of slice. Uses a2 and a3. */
.macro add_pair to, slice, late
    xor \to, \to, \slice
    add_opposite \to, \slice, \late
.endm

/* 4 (a + c), to a and c: bit i takes bit i - 2; bits 6 and 7 come back as 0x1b and 0x36. Uses a2 to a5
 * and a7. */
.macro add_four_times late
    ssai 8
    .if \late
    movi a7, 0x0f0f0f0f
    .endif
    mov a4, BIT6
    add_opposite a4, BIT6, \late
    mov a5, BIT7
    add_opposite a5, BIT7, \late
    add_pair BIT7, BIT5, \late
    add_pair BIT6, BIT4, \late
    add_pair BIT5, BIT3, \late
    add_pair BIT4, BIT2, \late
    add_pair BIT3, BIT1, \late
    add_pair BIT2, BIT0, \late
    xor BIT0, BIT0, a4
    xor BIT3, BIT3, a4
    xor BIT2, BIT2, a5
    xor BIT5, BIT5, a5
    xor a4, a4, a5
    xor BIT1, BIT1, a4
    xor BIT4, BIT4, a4
.endm

kernel selo_aes_sliced_decrypt_two
    movi a6, 16
    j 1f
    .balign 4
entry selo_aes_fast_decrypt
    movi a6, 0
1:
    align_keys
    begin
    s32i KEY, a1, END       /* the round keys backwards */
    mov KEY, a7
    transpose
    add_key
3:
    addi KEY, KEY, -16
    shift_twice
    inverse_substitute
    add_key
    add_four_times 1
    mix 1
    addi KEY, KEY, -16
    inverse_substitute
    add_key
    l32i a2, a1, END
    beq KEY, a2, 4f
    add_four_times 0
    mix 0
    j 3b
4:
    transpose
    finish
kernel_end selo_aes_sliced_decrypt_two

#endif
