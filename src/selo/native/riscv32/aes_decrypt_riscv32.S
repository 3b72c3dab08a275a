/*
 * AES decryption of one block or two on RV32.
 *
 *   void selo_aes_sliced_decrypt_two(const uint8_t *round_keys, uint8_t out[32],
 *                                    const uint8_t in[32], uint8_t rounds);
 *   void selo_aes_fast_decrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
 *                              uint8_t rounds);
 *
 * out = the plaintext of in [FIPS197, 5.3]. The arguments are those of aes_encrypt_riscv32.S.
 *
 * The steps of aes_encrypt_riscv32.S backwards. InvMixColumns is MixColumns after an addition of 4
 * (a + c) to a and c, as in aes/aes_state.h.
 *
 * Cost of selo_aes_sliced_decrypt_two with 10 rounds: 3,867 instructions, 3,904 bytes of flash; with
 * Zbb 3,435 instructions, 3,520 bytes of flash; 96 bytes of stack (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES && SELO_BACKEND_RISCV32

#include "aes_sliced.inc"
#include "aes_inverse_substitute.inc"

/* to += this row + the row two rows on of slice. Uses t0 and t1. */
.macro add_pair to, slice, late
    xor \to, \to, \slice
    add_opposite \to, \slice, \late
.endm

/* 4 (a + c), to a and c: bit i takes bit i - 2; bits 6 and 7 come back as 0x1b and 0x36. Uses
 * t0 to t2, t5 and s4. */
.macro add_four_times late
    .if \late
    li s4, 0x0f0f0f0f
    .endif
    mv t2, BIT6
    add_opposite t2, BIT6, \late
    mv t5, BIT7
    add_opposite t5, BIT7, \late
    add_pair BIT7, BIT5, \late
    add_pair BIT6, BIT4, \late
    add_pair BIT5, BIT3, \late
    add_pair BIT4, BIT2, \late
    add_pair BIT3, BIT1, \late
    add_pair BIT2, BIT0, \late
    xor BIT0, BIT0, t2
    xor BIT3, BIT3, t2
    xor BIT2, BIT2, t5
    xor BIT5, BIT5, t5
    xor t2, t2, t5
    xor BIT1, BIT1, t2
    xor BIT4, BIT4, t2
.endm

kernel selo_aes_sliced_decrypt_two
    li t3, 16
    j 1f
entry selo_aes_fast_decrypt
    li t3, 0
1:
    align_keys
    begin
    /* The round keys backwards. */
    mv t0, KEY
    mv KEY, END
    mv END, t0
    transpose
    li t3, 0x55555555
    add_key
3:
    addi KEY, KEY, -16
    shift_twice
    inverse_substitute
    li t3, 0x55555555
    add_key
    add_four_times 1
    mix 1
    addi KEY, KEY, -16
    inverse_substitute
    li t3, 0x55555555
    add_key
    beq KEY, END, 4f
    add_four_times 0
    mix 0
    j 3b
4:
    transpose
    finish
kernel_end selo_aes_sliced_decrypt_two

#endif
