/*
 * Squaring modulo 2^255 - 19 on ARM cores with 16-bit instructions.
 *
 *   void selo_field25519_square_arm(uint8_t r[32], const uint8_t a[32]);
 *
 * r = a^2 mod p, below 2^255 + 2^230. r may be a. Both are aligned to 4 bytes.
 *
 * One level of Karatsuba, whose square of the difference has no sign, over squares of four words
 * by columns.
 *
 * Cost of selo_field25519_square_arm: 1,106 cycles on Cortex-M0 as modelled, 953 instructions, 144
 * bytes of stack, 1,012 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_THUMB1

#include "x25519_field.inc"

/* x0, x1, x2 += twice the product of two words of a; x2 is new. */
.macro begin_double a, b, x0, x1, x2
    mov r0, \a
    mov r1, \b
    multiply_word
    movs \x2, #0
    adds r4, r4, r4
    adcs r0, r0, r0
    adcs \x2, \x2, \x2
    adds \x0, \x0, r4
    adcs \x1, \x1, r0
    movs r1, #0
    adcs \x2, \x2, r1
.endm

/* The same with an x2 that is not new. */
.macro add_double a, b, x0, x1, x2
    mov r0, \a
    mov r1, \b
    multiply_word
    movs r1, #0
    adds r4, r4, r4
    adcs r0, r0, r0
    adcs \x2, \x2, r1
    adds \x0, \x0, r4
    adcs \x1, \x1, r0
    adcs \x2, \x2, r1
.endm

/* x0, x1, x2 += the square of a word of a. */
.macro add_square a, x0, x1, x2
    mov r0, \a
    square_word
    movs r1, #0
    adds \x0, \x0, r4
    adcs \x1, \x1, r0
    adcs \x2, \x2, r1
.endm

kernel selo_field25519_square_arm
    save_all
    bl selo_field25519_square_core_arm
    restore_all_and_return
kernel_end selo_field25519_square_arm

/* The same for a caller that wants no register back. */
entry selo_field25519_square_core_arm
    push {r0-r1, lr}
    sub sp, #(96 - 64)
    /* H: the high half. */
    adds r1, r1, #16
    ldm r1, {r0-r3}
    to_high
    bl square
    /* L: the low half. */
    sub sp, #32
    ldr r1, [sp, #(96 - 32 + 4)]
    ldm r1, {r0-r3}
    to_high
    bl square
    /* M: their distance. */
    sub sp, #32
    ldr r7, [sp, #(96 + 4)]
    ldm r7!, {r0-r3}
    ldm r7, {r4-r7}
    distance
    to_high
    bl square
    movs r7, #0
    mvns r7, r7
    combine_in_parts
    ldr r0, [sp, #96]
    fold_parts
    add sp, #(96 + 8)
    pop {pc}

/* The eight words at sp = the square of the four in r8 to r11. */
square:
    mov r0, r8
    square_word
    str r4, [sp]
    movs r5, r0
    movs r6, #0
    begin_double r8, r9, r5, r6, r7
    str r5, [sp, #4]
    begin_double r8, r10, r6, r7, r5
    add_square r9, r6, r7, r5
    str r6, [sp, #8]
    begin_double r8, r11, r7, r5, r6
    add_double r9, r10, r7, r5, r6
    str r7, [sp, #12]
    begin_double r9, r11, r5, r6, r7
    add_square r10, r5, r6, r7
    str r5, [sp, #16]
    begin_double r10, r11, r6, r7, r5
    str r6, [sp, #20]
    mov r0, r11
    square_word
    adds r7, r7, r4
    adcs r5, r5, r0
    str r7, [sp, #24]
    str r5, [sp, #28]
    bx lr
kernel_end selo_field25519_square_core_arm

#endif
