/*
 * AES encryption of one block or two on ARM cores with 16-bit Thumb instructions only.
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
 * has the form. The slices are on the stack. MixColumns reads, mixes and writes them one by one, and adds
 * the round key. No address and no branch depends on data.
 *
 * Cost of selo_aes_sliced_encrypt_two with 10 rounds: 5,267 cycles on Cortex-M0 as modelled, 4,388
 * instructions, 136 bytes of stack, 2,232 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES && SELO_BACKEND_THUMB1

#include "aes_sliced.inc"
#include "aes_substitute.inc"

/* Slices index and index + 4 of the last round, and a step back to columns. r5 is 0x0f0f0f0f. Slice index
 * goes to \to. */
.macro last_pair index, to
    ldr r0, [sp, #OUT + 4 * \index]
    ldr r3, [sp, #OUT + 4 * \index + 16]
    shift_twice r0
    shift_twice r3
    add_slice r0, \index
    add_slice r3, \index + 4
    exchange r0, r3, 4, r5
    mov \to, r0
    str r3, [sp, #OUT + 4 * \index + 16]
.endm

kernel selo_aes_sliced_encrypt_two
    push {r4-r7, lr}
    movs r4, #16
    b 1f
entry selo_aes_fast_encrypt
    push {r4-r7, lr}
    movs r4, #0
1:
    align_keys
    str r0, [sp, #KEY]
    lsls r3, r3, #4
    adds r3, r3, r0
    str r3, [sp, #LAST]
    align_blocks
    load_and_transpose
    ldr r7, [sp, #KEY]
    first_slices
    b 3f
    .ltorg
3:
    substitute
    ldr r7, [sp, #KEY]
    adds r7, #16
    str r7, [sp, #KEY]
    ldr r0, =0x55555555
    mov KEY_BITS, r0
    movs r6, #16
    ldr r0, [sp, #LAST]
    subs r0, r0, r7
    lsls r1, r0, #27
    bmi 4f
    b 5f
4:  /* an odd round */
    ldr r0, =0xfcfcfcfc
    mov ODD_ROUND_HIGH, r0
    ldr r0, =0xf0f0f0f0
    mov ODD_ROUND_LOW, r0
    movs r4, #10
    movs r5, #2
    mix 1, 1
    b 3b
    .ltorg
5:
    ldr r1, =0x0f000f00
    mov HALF_ROWS, r1
    cmp r0, #0
    bne 6f
    b 7f
6:
    movs r5, #8
    mix 0, 1
    b 3b
    .ltorg
7:
    ldr r5, =0x0f0f0f0f
    last_pair 0, r8
    last_pair 1, r9
    last_pair 2, r12
    last_pair 3, lr
    finish
    .ltorg
kernel_end selo_aes_sliced_encrypt_two

#endif
