/*
 * AES decryption of one block or two on ARM cores with 16-bit Thumb instructions only.
 *
 *   void selo_aes_sliced_decrypt_two(const uint8_t *round_keys, uint8_t out[32],
 *                                    const uint8_t in[32], uint8_t rounds);
 *   void selo_aes_fast_decrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
 *                              uint8_t rounds);
 *
 * out = the plaintext of in [FIPS197, 5.3]. The arguments are those of aes_encrypt_armv6m.S.
 *
 * The steps of aes_encrypt_armv6m.S backwards. InvMixColumns is MixColumns after an addition of 4
 * (a + c) to a and c, as in aes/aes_state.h. The round key is added in the same walk over the slices.
 *
 * Cost of selo_aes_sliced_decrypt_two with 10 rounds: 6,619 cycles on Cortex-M0 as modelled, 5,487
 * instructions, 136 bytes of stack, 2,712 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES && SELO_BACKEND_THUMB1

#include "aes_sliced.inc"
#include "aes_inverse_substitute.inc"

/* r0 = slice index + its round key; \pair = it + the row two rows on of it. Uses r1 and r2. */
.macro load_pair late, index, pair
    ldr r0, [sp, #OUT + 4 * \index]
    add_slice r0, \index
    mov \pair, r0
    .if \late
    late_add_opposite \pair, r0
    .else
    add_opposite \pair, r0
    .endif
.endm

/* r0 += words; it becomes slice index. Uses r1. */
.macro add_and_store index, word, high0, high1
    .ifnb \word
    eors r0, r0, \word
    .endif
    .ifnb \high0
    mov r1, \high0
    eors r0, r0, r1
    .endif
    .ifnb \high1
    mov r1, \high1
    eors r0, r0, r1
    .endif
    str r0, [sp, #OUT + 4 * \index]
.endm

/* The slices += the round key at r7; then 4 (a + c), to a and c: bit i takes bit i - 2; bits 6 and 7
 * come back as 0x1b and 0x36. r6 is 16. Uses r0 to r5, r12 and lr. */
.macro add_key_and_four_times late
    load_pair \late, 6, r3
    mov r12, r3
    add_and_store 6
    load_pair \late, 7, r3
    mov lr, r3
    add_and_store 7
    load_pair \late, 0, r4
    add_and_store 0, , r12
    load_pair \late, 1, r5
    add_and_store 1, , r12, lr
    load_pair \late, 2, r3
    add_and_store 2, r4, lr
    movs r4, r3
    load_pair \late, 3, r3
    add_and_store 3, r5, r12
    movs r5, r3
    load_pair \late, 4, r3
    add_and_store 4, r4, r12, lr
    movs r4, r3
    load_pair \late, 5, r3
    add_and_store 5, r5, lr
    movs r5, r3
    ldr r0, [sp, #OUT + 24]
    add_and_store 6, r4
    ldr r0, [sp, #OUT + 28]
    add_and_store 7, r5
.endm

/* Slices index and index + 4 after the last round, and a step back to columns. r5 is 0x0f0f0f0f. Slice
 * index goes to \to. */
.macro last_pair index, to
    ldr r0, [sp, #OUT + 4 * \index]
    ldr r3, [sp, #OUT + 4 * \index + 16]
    add_slice r0, \index
    add_slice r3, \index + 4
    exchange r0, r3, 4, r5
    mov \to, r0
    str r3, [sp, #OUT + 4 * \index + 16]
.endm

kernel selo_aes_sliced_decrypt_two
    push {r4-r7, lr}
    movs r4, #16
    b 1f
entry selo_aes_fast_decrypt
    push {r4-r7, lr}
    movs r4, #0
1:
    align_keys
    str r0, [sp, #LAST]         /* the round keys backwards */
    lsls r3, r3, #4
    adds r3, r3, r0
    str r3, [sp, #KEY]
    align_blocks
    load_and_transpose
    ldr r7, [sp, #KEY]
    first_slices
    ldr r0, =0x0f000f00
    mov HALF_ROWS, r0
    .irp index, 0, 1, 2, 3, 4, 5, 6, 7
    ldr r0, [sp, #4 * \index]
    shift_twice r0
    str r0, [sp, #4 * \index]
    .endr
    b 3f
    .ltorg
3:
    inverse_substitute
    ldr r7, [sp, #KEY]
    subs r7, #16
    str r7, [sp, #KEY]
    ldr r0, =0x55555555
    mov KEY_BITS, r0
    movs r6, #16
    ldr r0, [sp, #LAST]
    subs r0, r7, r0
    lsls r1, r0, #27
    bmi 4f
    b 5f
4:  /* an odd round */
    ldr r0, =0xfcfcfcfc
    mov ODD_ROUND_HIGH, r0
    ldr r0, =0xf0f0f0f0
    mov ODD_ROUND_LOW, r0
    add_key_and_four_times 1
    b 4f
    .ltorg
4:
    movs r4, #10
    movs r5, #2
    mix 1, 0
    b 3b
    .ltorg
5:
    ldr r1, =0x0f000f00
    mov HALF_ROWS, r1
    cmp r0, #0
    bne 6f
    b 7f
6:
    add_key_and_four_times 0
    movs r5, #8
    mix 0, 0
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
kernel_end selo_aes_sliced_decrypt_two

#endif
