/*
 * AES encryption of one block or two without tables on Xtensa with the call0 ABI.
 *
 *   void selo_aes_sliced_encrypt_two(const uint8_t *round_keys, uint8_t out[32],
 *                                    const uint8_t in[32], uint8_t rounds);
 *   void selo_aes_fast_encrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
 *                              uint8_t rounds);
 *
 * out = the ciphertext of in [FIPS197, 5.1]. round_keys are those of selo_aes_sliced_setup, rounds
 * is 10, 12 or 14. out may equal in. Nothing needs to be aligned, but the cost below is that of aligned
 * arguments. The second function takes one block as both. Its cost is the same.
 *
 * Slices of bits, with ShiftRows done for two rounds at once [ADOMNICAI2021, 3]; aes/aes_sliced.h
 * has the form. MixColumns rotates by 8 only, so it sets SAR once. No address and no branch depends on
 * data.
 *
 * Cost of selo_aes_sliced_encrypt_two with 10 rounds: 3,171 instructions, 112 bytes of stack, 2,759
 * bytes of flash (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES && SELO_BACKEND_XTENSA

#include "aes_sliced.inc"
#include "aes_substitute.inc"

kernel selo_aes_sliced_encrypt_two
    movi a6, 16
    j 1f
    .balign 4
entry selo_aes_fast_encrypt
    movi a6, 0
1:
    align_keys
    begin
    s32i a7, a1, END
    transpose
    add_key
3:
    addi KEY, KEY, 16
    substitute
    mix 1
    add_key
    addi KEY, KEY, 16
    substitute
    shift_twice
    l32i a2, a1, END
    beq KEY, a2, 4f
    mix 0
    add_key
    j 3b
4:
    add_key
    transpose
    finish
kernel_end selo_aes_sliced_encrypt_two

#endif
