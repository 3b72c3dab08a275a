/*
 * AES encryption of one block or two on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_aes_sliced_encrypt_two(const uint8_t *round_keys, uint8_t out[32],
 *                                    const uint8_t in[32], uint8_t rounds);
 *   void selo_aes_fast_encrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
 *                              uint8_t rounds);
 *
 * out = the ciphertext of in [FIPS197, 5.1]. round_keys are those of selo_aes_sliced_setup, rounds
 * is 10, 12 or 14. out may equal in. The second function takes one block as both. Its cost is the
 * same.
 *
 * Slices of bits, with ShiftRows done for two rounds at once [ADOMNICAI2021, 3]; aes_sliced.h has the
 * form. Each shift of MixColumns is part of an addition. No address and no branch depends on data.
 *
 * Cost of selo_aes_sliced_encrypt_two with 10 rounds: 2,549 cycles on Cortex-M3 and 2,549 cycles
 * on Cortex-M4 as modelled, 2,448 instructions, 72 bytes of stack, 2,392 bytes of flash
 * (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES && SELO_BACKEND_THUMB2

#include "aes_sliced.inc"
#include "aes_substitute.inc"

/* The stack: substitute's words, the round key of the even round before, the last, the second block's offset, out,
 * what is pushed. */
#define KEY 20
#define LAST 24
#define STRIDE 28
#define OUT 32

kernel selo_aes_sliced_encrypt_two
    mov r12, #16
    b.n 1f
entry selo_aes_fast_encrypt
    mov r12, #0
1:
    push {r1, r4-r11, lr}
    sub sp, #OUT
    add r3, r0, r3, lsl #4
    str r3, [sp, #LAST]
    str r12, [sp, #STRIDE]
    add r12, r2, r12
    load_blocks r2, r12
    transpose
    b.n 2f
1:  /* Two rounds. */
    mix
2:
    add_key 0
    str r0, [sp, #KEY]
    substitute
    late_mix
    ldr r0, [sp, #KEY]
    add_key 16
    substitute
    shift_twice
    ldr r0, [sp, #KEY]
    ldr r1, [sp, #LAST]
    add r0, r0, #32
    cmp r0, r1
    bne.w 1b
    add_key 0
    transpose
    ldr r0, [sp, #OUT]
    ldr r1, [sp, #STRIDE]
    add r1, r1, r0
    store_blocks r0, r1
    /* The words of the last round would give away its key. */
    mov r0, #0
    .irp at, 0, 4, 8, 12, 16
    str r0, [sp, #\at]
    .endr
    add sp, #OUT + 4
    pop {r4-r11, pc}
kernel_end selo_aes_sliced_encrypt_two

#endif
