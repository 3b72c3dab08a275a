/*
 * AES decryption of one block or two on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_aes_sliced_decrypt_two(const uint8_t *round_keys, uint8_t out[32],
 *                                    const uint8_t in[32], uint8_t rounds);
 *   void selo_aes_fast_decrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
 *                              uint8_t rounds);
 *
 * out = the plaintext of in [FIPS197, 5.3]. round_keys are those of selo_aes_sliced_setup, rounds is
 * 10, 12 or 14. out may equal in. The second function takes one block as both. Its cost is the
 * same.
 *
 * The steps of aes_encrypt_armv7m.S backwards. InvMixColumns is MixColumns after an addition of 4
 * (a + c) to a and c, as in aes_state.h.
 *
 * Cost of selo_aes_sliced_decrypt_two with 10 rounds: 3,187 cycles on Cortex-M3 and 3,187 cycles
 * on Cortex-M4 as modelled, 2,973 instructions, 100 bytes of stack, 2,120 bytes of flash
 * (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES && SELO_BACKEND_THUMB2

#include "aes_sliced.inc"
#include "aes_inverse_substitute.inc"

/* The stack: inverse_substitute's words, the next round key, the first, the second block's offset,
 * out, what is pushed. */
#define KEY 48
#define FIRST 52
#define STRIDE 56
#define OUT 60

/* to += this row + the row two rows on of slice. */
.macro add_pair to, slice
    eor \to, \to, \slice
    eor \to, \to, \slice, ror #16
.endm

/* 4 (a + c), to a and c: bit i takes bit i - 2; bits 6 and 7 come back as 0x1b and 0x36. add is
 * add_pair or late_add_pair. Uses r0 to r2. */
.macro add_four_times add
    mov r0, #0
    mov r1, #0
    \add r0, bit6
    \add r1, bit7
    \add bit7, bit5
    \add bit6, bit4
    \add bit5, bit3
    \add bit4, bit2
    \add bit3, bit1
    \add bit2, bit0
    eor bit0, bit0, r0
    eor bit3, bit3, r0
    eor bit2, bit2, r1
    eor bit5, bit5, r1
    eor r0, r0, r1
    eor bit1, bit1, r0
    eor bit4, bit4, r0
.endm

kernel selo_aes_sliced_decrypt_two
    mov r12, #16
    b.n 1f
entry selo_aes_fast_decrypt
    mov r12, #0
1:
    push {r1, r4-r11, lr}
    sub sp, #OUT
    str r0, [sp, #FIRST]
    add r3, r0, r3, lsl #4
    str r3, [sp, #KEY]
    str r12, [sp, #STRIDE]
    add r12, r2, r12
    load_blocks r2, r12
    transpose
    ldr r0, [sp, #KEY]
    add_key
1:
    shift_twice
2:
    inverse_substitute
    ldr r0, [sp, #KEY]
    sub r0, r0, #16
    str r0, [sp, #KEY]
    add_key
    ldr r1, [sp, #FIRST]
    subs r1, r0, r1
    beq.w 4f
    tst r1, #16
    beq.w 3f
    add_four_times late_add_pair
    late_mix
    b.w 2b
3:
    add_four_times add_pair
    mix
    b.w 1b
4:
    transpose
    ldr r0, [sp, #OUT]
    ldr r1, [sp, #STRIDE]
    add r1, r1, r0
    store_blocks r0, r1
    /* The words of the last round would give away its key. */
    mov r0, #0
    .irp at, 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44
    str r0, [sp, #\at]
    .endr
    add sp, #OUT + 4
    pop {r4-r11, pc}
kernel_end selo_aes_sliced_decrypt_two

#endif
