/*
 * Squaring modulo 2^255 - 19 on Cortex-M3.
 *
 *   void selo_field25519_square_arm(uint8_t r[32], const uint8_t a[32]);
 *
 * r = a^2 mod p, below 2^255 + 2^230. r may be a. Both are aligned to 4 bytes.
 *
 * The algorithm of x25519_square_armv6m.S: one level of Karatsuba, whose square of the difference
 * has no sign, over squares of four words by columns.
 *
 * Cost of selo_field25519_square_arm: 809 cycles on Cortex-M3 as modelled, 702 instructions, 144
 * bytes of stack, 1,100 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_THUMB2 && !SELO_BACKEND_UMAAL

#include "x25519_field.inc"

/* x0, x1, x2 += twice the product of two words of a. If \first, x2 is new. */
.macro add_double a, b, x0, x1, x2, first=0
    uxth r0, \a
    lsr r1, \a, #16
    uxth r2, \b
    lsr r3, \b, #16
    multiply_halves
    adds r4, r4, r4
    adcs r1, r1, r1
    .if \first
    adc \x2, r12, #0
    .else
    adc \x2, \x2, #0
    .endif
    accumulate \x0, \x1, \x2
.endm

/* r4 and r1 = the square of a word of a. */
.macro square_of a
    uxth r0, \a
    lsr r1, \a, #16
    mul r2, r0, r1
    mul r4, r0, r0
    mul r1, r1, r1
    adds r4, r4, r2, lsl #17
    adc r1, r1, r2, lsr #15
.endm

.macro add_square a, x0, x1, x2
    square_of \a
    accumulate \x0, \x1, \x2
.endm

kernel selo_field25519_square_arm
    push {r4-r11, lr}
    bl selo_field25519_square_core_arm
    pop {r4-r11, pc}
kernel_end selo_field25519_square_arm

/* The same for a caller that wants no register back. */
entry selo_field25519_square_core_arm
    push {r0-r1, lr}
    sub sp, #(96 - 64)
    /* H: the high half. */
    adds r1, r1, #16
    ldm r1, {r8-r11}
    bl square
    /* L: the low half. */
    sub sp, #32
    ldr r1, [sp, #(96 - 32 + 4)]
    ldm r1, {r8-r11}
    bl square
    /* M: their distance. */
    sub sp, #32
    ldr r7, [sp, #(96 + 4)]
    ldm r7!, {r0-r3}
    ldm r7, {r4-r7}
    distance
    to_high
    bl square
    mov r7, #-1
    combine
    ldr r0, [sp, #96]
    fold_38 64, 32
    add sp, #(96 + 8)
    pop {pc}

/* The eight words at sp = the square of the four in r8 to r11. Uses r0 to r7, r12. */
square:
    mov r12, #0
    square_of r8
    str r4, [sp]
    mov r5, r1
    movs r6, #0
    add_double r8, r9, r5, r6, r7, 1
    str r5, [sp, #4]
    add_double r8, r10, r6, r7, r5, 1
    add_square r9, r6, r7, r5
    str r6, [sp, #8]
    add_double r8, r11, r7, r5, r6, 1
    add_double r9, r10, r7, r5, r6
    str r7, [sp, #12]
    add_double r9, r11, r5, r6, r7, 1
    add_square r10, r5, r6, r7
    str r5, [sp, #16]
    add_double r10, r11, r6, r7, r5, 1
    str r6, [sp, #20]
    square_of r11
    adds r7, r7, r4
    adc r5, r5, r1
    str r7, [sp, #24]
    str r5, [sp, #28]
    bx lr
kernel_end selo_field25519_square_core_arm

#endif
