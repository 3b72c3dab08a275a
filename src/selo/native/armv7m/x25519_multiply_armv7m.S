/*
 * Multiplication modulo 2^255 - 19 on Cortex-M3.
 *
 *   void selo_field25519_multiply_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a b mod p, below 2^255 + 2^230. r may be a or b. All three are aligned to 4 bytes.
 *
 * The algorithm of x25519_multiply_armv6m.S: one level of Karatsuba over products of four by four
 * words by columns, whose factors are read in halves, and whose sums shift in the same instruction.
 *
 * Cost of selo_field25519_multiply_arm: 1,201 cycles on Cortex-M3 as modelled, 1,004 instructions,
 * 244 bytes of stack, 1,532 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_THUMB2 && !SELO_BACKEND_UMAAL

#include "x25519_field.inc"

/* The factors of `product`, above the stack pointer, which is 64 higher for H than for M. */
#define B 96
#define A (B + 16)
#define FRAME (A + 16 + 64)

/* r4 and r1 = word \i of a times word \j of b. */
.macro multiply_words i, j
    ldrh r0, [sp, #(A + 4 * \i)]
    ldrh r1, [sp, #(A + 4 * \i + 2)]
    ldrh r2, [sp, #(B + 4 * \j)]
    ldrh r3, [sp, #(B + 4 * \j + 2)]
    multiply_halves
.endm

.macro add_product i, j, x0, x1, x2, first=0
    multiply_words \i, \j
    accumulate \x0, \x1, \x2, \first
.endm

kernel selo_field25519_multiply_arm
    push {r4-r11, lr}
    bl selo_field25519_multiply_core_arm
    pop {r4-r11, pc}
kernel_end selo_field25519_multiply_arm

/* The same for a caller that wants no register back. */
entry selo_field25519_multiply_core_arm
    push {r0-r2, lr}
    sub sp, #(FRAME - 64)
    /* H: the high halves. */
    add r0, sp, #B
    adds r1, r1, #16
    adds r2, r2, #16
    ldm r2, {r4-r7}
    ldm r1, {r8-r11}
    stm r0, {r4-r11}
    bl product
    /* L: the low halves. */
    sub sp, #32
    ldr r1, [sp, #(FRAME - 32 + 4)]
    ldr r2, [sp, #(FRAME - 32 + 8)]
    add r0, sp, #B
    ldm r2, {r4-r7}
    ldm r1, {r8-r11}
    stm r0, {r4-r11}
    bl product
    /* M: the distances of the halves. */
    sub sp, #32
    ldr r7, [sp, #(FRAME + 8)]
    ldm r7!, {r0-r3}
    ldm r7, {r4-r7}
    distance
    mov r8, r4
    add r7, sp, #B
    stm r7, {r0-r3}
    ldr r7, [sp, #(FRAME + 4)]
    ldm r7!, {r0-r3}
    ldm r7, {r4-r7}
    distance
    eor r8, r8, r4          /* the sign of M, which product leaves alone */
    add r7, sp, #A
    stm r7, {r0-r3}
    bl product
    mvn r7, r8
    combine
    ldr r0, [sp, #FRAME]
    fold_38 64, 32
    add sp, #(FRAME + 12)
    pop {pc}

/* The eight words at sp = the four of a times the four of b. Uses r0 to r7, r12. */
product:
    mov r12, #0
    multiply_words 0, 0
    str r4, [sp]
    mov r5, r1
    movs r6, #0
    add_product 0, 1, r5, r6, r7, 1
    add_product 1, 0, r5, r6, r7
    str r5, [sp, #4]
    add_product 0, 2, r6, r7, r5, 1
    add_product 1, 1, r6, r7, r5
    add_product 2, 0, r6, r7, r5
    str r6, [sp, #8]
    add_product 0, 3, r7, r5, r6, 1
    add_product 1, 2, r7, r5, r6
    add_product 2, 1, r7, r5, r6
    add_product 3, 0, r7, r5, r6
    str r7, [sp, #12]
    add_product 1, 3, r5, r6, r7, 1
    add_product 2, 2, r5, r6, r7
    add_product 3, 1, r5, r6, r7
    str r5, [sp, #16]
    add_product 2, 3, r6, r7, r5, 1
    add_product 3, 2, r6, r7, r5
    str r6, [sp, #20]
    multiply_words 3, 3
    adds r7, r7, r4
    adc r5, r5, r1
    str r7, [sp, #24]
    str r5, [sp, #28]
    bx lr
kernel_end selo_field25519_multiply_core_arm

#endif
