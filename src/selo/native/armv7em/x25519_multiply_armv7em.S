/*
 * Multiplication modulo 2^255 - 19 on ARM cores with UMAAL.
 *
 *   void selo_field25519_multiply_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a b mod p, below 2^255 + 2^13. r may be a or b. All three are aligned to 4 bytes.
 *
 * Operand scanning: the four low words of a times all of b, then the four high ones. A row
 * adds a word of b times four words of a, with UMAAL alone: it multiplies and adds two words,
 * the one at its place and the carry, and never overflows.
 *
 * Cost of selo_field25519_multiply_arm: 219 cycles on Cortex-M4 as modelled, 142 instructions,
 * 96 bytes of stack, 552 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_UMAAL

#include "x25519_reduce.inc"

/* The words x0 to x3 and carry += a[0..4) b; x0 is then done, and the carry is word 4. */
.macro row b, x0, x1, x2, x3, carry
    umaal \x0, \carry, r4, \b
    umaal \x1, \carry, r5, \b
    umaal \x2, \carry, r6, \b
    umaal \x3, \carry, r7, \b
.endm

/* The same for a row of the low half, whose carry begins with 0. */
.macro low_row at, b, x0, x1, x2, x3, carry
    mov \carry, #0
    row \b, \x0, \x1, \x2, \x3, \carry
    str \x0, [sp, #4 * \at]
.endm

/* The same for a row of the high half, which adds a word of the low half's product. */
.macro high_row at, b, x0, x1, x2, x3, carry
    ldr \carry, [sp, #4 * \at]
    row \b, \x0, \x1, \x2, \x3, \carry
.endm

/* The stack: twelve words of the product, a, b, then what is pushed: r first. */
kernel selo_field25519_multiply_arm
    push {r0, r4-r11, lr}
    sub sp, #56
    strd r1, r2, [sp, #48]
    mov lr, r2
    ldm r1, {r4-r7}
    ldm lr!, {r0-r3}
    mov r8, #0
    mov r9, #0
    mov r10, #0
    mov r11, #0
    low_row 0, r0, r8, r9, r10, r11, r12
    low_row 1, r1, r9, r10, r11, r12, r8
    low_row 2, r2, r10, r11, r12, r8, r9
    low_row 3, r3, r11, r12, r8, r9, r10
    ldm lr, {r0-r3}
    low_row 4, r0, r12, r8, r9, r10, r11
    low_row 5, r1, r8, r9, r10, r11, r12
    low_row 6, r2, r9, r10, r11, r12, r8
    low_row 7, r3, r10, r11, r12, r8, r9
    strd r11, r12, [sp, #32]
    strd r8, r9, [sp, #40]

    ldrd r4, lr, [sp, #48]
    add r4, r4, #16
    ldm r4, {r4-r7}
    ldm lr!, {r0-r3}
    mov r8, #0
    mov r9, #0
    mov r10, #0
    mov r11, #0
    high_row 4, r0, r8, r9, r10, r11, r12
    str r8, [sp, #16]
    high_row 5, r1, r9, r10, r11, r12, r8
    str r9, [sp, #20]
    high_row 6, r2, r10, r11, r12, r8, r9
    str r10, [sp, #24]
    high_row 7, r3, r11, r12, r8, r9, r10
    str r11, [sp, #28]
    ldm lr, {r0-r3}
    /* Words 8 to 11 stay in registers: each row frees the word of b before it. */
    high_row 8, r0, r12, r8, r9, r10, r11
    high_row 9, r1, r8, r9, r10, r11, r0
    high_row 10, r2, r9, r10, r11, r0, r1
    high_row 11, r3, r10, r11, r0, r1, r2

    mov r3, #38
    ldr lr, [sp, #56]
    fold lr, sp, r12, r8, r9, r10, r11, r0, r1, r2
    add sp, #60
    pop {r4-r11, pc}
kernel_end selo_field25519_multiply_arm

#endif
