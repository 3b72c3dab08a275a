/*
 * The ChaCha20 block function on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_chacha20_block(uint32_t stream[16], const uint32_t state[16]);
 *
 * The 64 bytes of key stream for a state [RFC8439, 2.3]. stream may be state.
 *
 * Twelve words and two of the other four are in registers; the last four change places once a
 * round. No rotation costs an instruction: a word is kept before its rotation, and the next
 * instruction that reads it rotates it on the way. At the start of a quarter round words 4 to 7
 * wait for a rotation by 7 to the left, 12 to 15 for one by 8.
 *
 * Cost of selo_chacha20_block: 1,027 cycles on Cortex-M3 and 1,027 cycles on Cortex-M4 as
 * modelled, 799 instructions, 64 bytes of stack, 504 bytes of flash (tests/arm/run.sh
 * --figures).
 */
#include "../api.h"

#if SELO_NATIVE_CHACHA20 && SELO_BACKEND_THUMB2

#include "../arm/kernel.inc"

/* The quarter round [RFC8439, 2.1]. */
.macro quarter a, b, c, d
    add \a, \a, \b, ror #25
    eor \d, \a, \d, ror #24
    add \c, \c, \d, ror #16
    eor \b, \c, \b, ror #25
    add \a, \a, \b, ror #20
    eor \d, \a, \d, ror #16
    add \c, \c, \d, ror #24
    eor \b, \c, \b, ror #20
.endm

/* The words w0 to w3, with the rotation in \turn, += those of the state at lr, from \at on. */
.macro put at, w0, w1, w2, w3, turn:vararg
    ldr r12, [lr, #4 * \at]
    add \w0, r12, \w0 \turn
    ldr r12, [lr, #4 * \at + 4]
    add \w1, r12, \w1 \turn
    ldr r12, [lr, #4 * \at + 8]
    add \w2, r12, \w2 \turn
    ldr r12, [lr, #4 * \at + 12]
    add \w3, r12, \w3 \turn
.endm

/* The stack: words 12 to 15, the double rounds left, stream, state, what is pushed. */
kernel selo_chacha20_block
    push {r0, r1, r4-r11, lr}
    sub sp, #20
    mov lr, r1
    add r0, lr, #48
    ldm r0, {r0-r3}
    ror r0, r0, #8
    ror r1, r1, #8
    ror r2, r2, #8
    ror r3, r3, #8
    stm sp, {r0-r3}
    mov r0, #10
    str r0, [sp, #16]
    ldm lr, {r0-r11}
    ror r4, r4, #7
    ror r5, r5, #7
    ror r6, r6, #7
    ror r7, r7, #7
    ldrd r12, lr, [sp]
1:
    quarter r0, r4, r8, r12
    quarter r1, r5, r9, lr
    strd r12, lr, [sp]
    ldrd r12, lr, [sp, #8]
    quarter r2, r6, r10, r12
    quarter r3, r7, r11, lr
    quarter r0, r5, r10, lr
    quarter r3, r4, r9, r12
    strd r12, lr, [sp, #8]
    ldrd r12, lr, [sp]
    quarter r1, r6, r11, r12
    quarter r2, r7, r8, lr
    strd r12, lr, [sp]
    ldr lr, [sp, #16]
    subs lr, lr, #1
    str lr, [sp, #16]
    ldrd r12, lr, [sp]
    bne 1b

    ldr lr, [sp, #24]
    put 0, r0, r1, r2, r3
    put 4, r4, r5, r6, r7, , ror #25
    put 8, r8, r9, r10, r11
    mov r12, r0
    ldr r0, [sp, #20]
    str r12, [r0]
    add r12, r0, #4
    stm r12, {r1-r11}
    ldm sp, {r1-r4}
    add r12, lr, #48
    ldm r12, {r6-r9}
    add r1, r6, r1, ror #24
    add r2, r7, r2, ror #24
    add r3, r8, r3, ror #24
    add r4, r9, r4, ror #24
    add r12, r0, #48
    stm r12, {r1-r4}
    add sp, #28
    pop {r4-r11, pc}
kernel_end selo_chacha20_block

#endif
