/*
 * Multiplication modulo 2^255 - 19 on ARM cores with 16-bit instructions.
 *
 *   void selo_field25519_multiply_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a b mod p, below 2^255 + 2^230. r may be a or b. All three are aligned to 4 bytes.
 *
 * One level of Karatsuba with the sizes of differences and their signs apart, over products of
 * four by four words by columns. A word times a word is four products of 16 bits.
 *
 * Cost of selo_field25519_multiply_arm: 1,649 cycles on Cortex-M0 as modelled, 1,428 instructions,
 * 228 bytes of stack, 1,372 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_THUMB1

#include "x25519_field.inc"

/* r1 = word \j of b: the first is in r12, the others are at sp + 100. */
.macro load_b j
    .if \j == 0
    mov r1, r12
    .else
    ldr r1, [sp, #96 + 4 * \j]
    .endif
.endm

/* x0, x1, x2 += word of a in a register times word \j of b. */
.macro add_product a, j, x0, x1, x2
    mov r0, \a
    load_b \j
    multiply_word
    adds \x0, \x0, r4
    adcs \x1, \x1, r0
    movs r1, #0
    adcs \x2, \x2, r1
.endm

/* The same for the first product of a column, where x2 is new. */
.macro begin_column a, j, x0, x1, x2
    mov r0, \a
    load_b \j
    multiply_word
    movs \x2, #0
    adds \x0, \x0, r4
    adcs \x1, \x1, r0
    adcs \x2, \x2, \x2
.endm

kernel selo_field25519_multiply_arm
    save_all
    bl selo_field25519_multiply_core_arm
    restore_all_and_return
kernel_end selo_field25519_multiply_arm

/* The same for a caller that wants no register back. */
entry selo_field25519_multiply_core_arm
    push {r0-r2, lr}
    sub sp, #(176 - 64)
    /* H: the high halves. */
    movs r6, r2
    adds r1, r1, #16
    ldm r1!, {r2-r5}
    mov r8, r2
    mov r9, r3
    mov r10, r4
    mov r11, r5
    adds r6, r6, #16
    ldm r6!, {r2-r5}
    mov r12, r2
    add r1, sp, #100
    stm r1!, {r3-r5}
    bl product
    /* L: the low halves. */
    sub sp, #32
    ldr r1, [sp, #(176 - 32 + 4)]
    ldm r1!, {r2-r5}
    mov r8, r2
    mov r9, r3
    mov r10, r4
    mov r11, r5
    ldr r6, [sp, #(176 - 32 + 8)]
    ldm r6!, {r2-r5}
    mov r12, r2
    add r1, sp, #100
    stm r1!, {r3-r5}
    bl product
    /* M: the distances of the halves. */
    sub sp, #32
    ldr r7, [sp, #(176 + 8)]
    ldm r7!, {r0-r3}
    ldm r7, {r4-r7}
    distance
    mov r12, r0
    add r7, sp, #100
    stm r7!, {r1-r3}
    str r4, [sp, #(176 + 8)]
    ldr r7, [sp, #(176 + 4)]
    ldm r7!, {r0-r3}
    ldm r7, {r4-r7}
    distance
    to_high
    ldr r7, [sp, #(176 + 8)]
    eors r7, r7, r4
    str r7, [sp, #(176 + 8)]
    bl product
    ldr r7, [sp, #(176 + 8)]
    mvns r7, r7
    combine_in_parts
    ldr r0, [sp, #176]
    fold_parts
    add sp, #(176 + 12)
    pop {pc}

/* The eight words at sp = the four in r8 to r11 times those of b. */
product:
    mov r0, r8
    load_b 0
    multiply_word
    str r4, [sp]
    movs r5, r0
    movs r6, #0
    begin_column r8, 1, r5, r6, r7
    add_product r9, 0, r5, r6, r7
    str r5, [sp, #4]
    begin_column r8, 2, r6, r7, r5
    add_product r9, 1, r6, r7, r5
    add_product r10, 0, r6, r7, r5
    str r6, [sp, #8]
    begin_column r8, 3, r7, r5, r6
    add_product r9, 2, r7, r5, r6
    add_product r10, 1, r7, r5, r6
    add_product r11, 0, r7, r5, r6
    str r7, [sp, #12]
    begin_column r9, 3, r5, r6, r7
    add_product r10, 2, r5, r6, r7
    add_product r11, 1, r5, r6, r7
    str r5, [sp, #16]
    begin_column r10, 3, r6, r7, r5
    add_product r11, 2, r6, r7, r5
    str r6, [sp, #20]
    mov r0, r11
    load_b 3
    multiply_word
    adds r7, r7, r4
    adcs r5, r5, r0
    str r7, [sp, #24]
    str r5, [sp, #28]
    bx lr
kernel_end selo_field25519_multiply_core_arm

#endif
