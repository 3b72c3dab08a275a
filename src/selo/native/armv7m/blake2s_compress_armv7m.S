/*
 * The compression function of BLAKE2s on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_blake2s_compress(uint32_t state[8], const uint8_t block[64], uint32_t size,
 *                              uint32_t last);
 *
 * state = F(state, block, size, last) [RFC7693, 3.2].
 *
 * Twelve words of the working vector are in registers, the last four on the stack with a copy of the
 * message. No rotation costs an instruction: a word is kept before its rotation, and the next
 * instruction that reads it rotates it on the way. At the start of G words 4 to 7 wait for a
 * rotation by 7 to the right, 12 to 15 for one by 8. The ten rounds are unrolled, so that the
 * permutations of the message are constants. What is loaded goes to low registers, where an
 * instruction has two bytes.
 *
 * Cost of selo_blake2s_compress: 1,462 cycles on Cortex-M3 and 1,462 cycles on Cortex-M4 as
 * modelled, 1,209 instructions, 120 bytes of stack, 3,836 bytes of flash (tests/arm/run.sh
 * --figures).
 */
#include "../api.h"

#if SELO_NATIVE_BLAKE2S && SELO_BACKEND_THUMB2

#include "../arm/kernel.inc"

/* G [RFC7693, 3.1]; word \d of 12 to 15, words \x and \y of the message. */
.macro mix a, b, c, d, x, y
    ldr r0, [sp, #4 * (\d - 12)]
    ldr r1, [sp, #16 + 4 * \x]
    add \a, \a, \b, ror #7
    add \a, \a, r1
    eor r0, \a, r0, ror #8
    ldr r1, [sp, #16 + 4 * \y]
    add \c, \c, r0, ror #16
    eor \b, \c, \b, ror #7
    add \a, \a, \b, ror #12
    add \a, \a, r1
    eor r0, \a, r0, ror #16
    add \c, \c, r0, ror #8
    eor \b, \c, \b, ror #12
    str r0, [sp, #4 * (\d - 12)]
.endm

.macro round s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15
    mix r2, r6, r8, 12, \s0, \s1
    mix r3, r7, r9, 13, \s2, \s3
    mix r4, r12, r10, 14, \s4, \s5
    mix r5, lr, r11, 15, \s6, \s7
    mix r2, r7, r10, 15, \s8, \s9
    mix r3, r12, r11, 12, \s10, \s11
    mix r4, lr, r8, 13, \s12, \s13
    mix r5, r6, r9, 14, \s14, \s15
.endm

/* A word of the state at r1 += two of the working vector; \turn rotates the first. */
.macro settle at, v0, v1, turn:vararg
    ldr r0, [r1, #4 * \at]
    eor r0, r0, \v0 \turn
    eor r0, r0, \v1
    str r0, [r1, #4 * \at]
.endm

/* The stack: words 12 to 15, the message, state, what is pushed. */
kernel selo_blake2s_compress
    push {r0, r4-r11, lr}
    sub sp, #80
    /* The message, which has no alignment. */
    add r12, sp, #16
    .set AT, 0
    .rept 4
        ldr r4, [r1, #AT]
        ldr r5, [r1, #AT + 4]
        ldr r6, [r1, #AT + 8]
        ldr r7, [r1, #AT + 12]
        stm r12!, {r4-r7}
        .set AT, AT + 16
    .endr
    movw lr, #:lower16:iv
    movt lr, #:upper16:iv
    ldm lr!, {r8-r11}
    ldm lr, {r4-r7}
    eor r4, r4, r2
    eor r6, r6, r3
    ror r4, r4, #24
    ror r5, r5, #24
    ror r6, r6, #24
    ror r7, r7, #24
    stm sp, {r4-r7}
    ldm r0, {r2-r7, r12, lr}
    ror r6, r6, #25
    ror r7, r7, #25
    ror r12, r12, #25
    ror lr, lr, #25
    round 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    round 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3
    round 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4
    round 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8
    round 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13
    round 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9
    round 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11
    round 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10
    round 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5
    round 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0
    ldr r1, [sp, #80]
    settle 0, r2, r8
    settle 1, r3, r9
    settle 2, r4, r10
    settle 3, r5, r11
    ldm sp, {r8-r11}
    ror r8, r8, #8
    ror r9, r9, #8
    ror r10, r10, #8
    ror r11, r11, #8
    settle 4, r6, r8, , ror #7
    settle 5, r7, r9, , ror #7
    settle 6, r12, r10, , ror #7
    settle 7, lr, r11, , ror #7
    /* The message of a keyed hash begins with the key. */
    mov r0, #0
    mov r1, #0
    mov r2, #0
    mov r3, #0
    mov r12, sp
    .rept 5
    stm r12!, {r0-r3}
    .endr
    add sp, #84
    pop {r4-r11, pc}
    .balign 4
iv: /* [RFC7693, 2.6] */
    .word 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a
    .word 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
kernel_end selo_blake2s_compress

#endif
