/*
 * Multiplication in the field of P-256 on ARM cores with UMAAL.
 *
 *   void selo_p256_multiply_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a b 2^-256 modulo p = 2^256 - 2^224 + 2^192 + 2^96 - 1, any a and b, r < 2^256. r may be a or b. None
 * needs an alignment.
 *
 * The product is by operand scanning, as in x25519_multiply_armv7em.S. Then Montgomery's reduction
 * [MONTGOMERY1985] in two steps of four words, as in native/avr/p256_multiply.S, where the sums are explained.
 * No branch and no address depends on a or b, and UMAAL takes one cycle for all.
 *
 * Cost of selo_p256_multiply_arm: 257 cycles on Cortex-M4 as modelled, 218 instructions, 96 bytes of
 * stack, 792 bytes of flash (tests/arm/run.sh --figures p256).
 */
#include "../api.h"

#if SELO_NATIVE_P256 && SELO_BACKEND_UMAAL

#include "../arm/kernel.inc"
#include "rows.inc"

/* r4 to r7 = the four words at \from + \at, with any alignment. */
.macro load_a from, at
    ldr r4, [\from, #\at]
    ldr r5, [\from, #\at + 4]
    ldr r6, [\from, #\at + 8]
    ldr r7, [\from, #\at + 12]
.endm

.macro load_b from, at
    ldr r0, [\from, #\at]
    ldr r1, [\from, #\at + 4]
    ldr r2, [\from, #\at + 8]
    ldr r3, [\from, #\at + 12]
.endm

/* t4 to t11 += what is left of m p for m in m0 to m3, with the carry of m3 from the flags; c = the carry. */
.macro add_m m0, m1, m2, m3, t4, t5, t6, t7, t8, t9, t10, t11, c
    adcs \t4, \t4, \m1
    adcs \t5, \t5, \m2
    adcs \t6, \t6, \m3
    adcs \t7, \t7, \m1
    adcs \t8, \t8, \m2
    adcs \t9, \t9, \m3
    adcs \t10, \t10, \m2
    adcs \t11, \t11, \m3
    mov \c, #0
    adc \c, \c, #0
    adds \t6, \t6, \m0
    adcs \t7, \t7, #0
    adcs \t8, \t8, \m0
    adcs \t9, \t9, \m1
    adcs \t10, \t10, #0
    adcs \t11, \t11, #0
    adc \c, \c, #0
    subs \t7, \t7, \m0
    sbcs \t8, \t8, \m1
    sbcs \t9, \t9, \m2
    sbcs \t10, \t10, \m3
    sbcs \t11, \t11, #0
    sbc \c, \c, #0
.endm

/* The stack: twelve words of the product, r, a, b. */
kernel selo_p256_multiply_arm
    push {r4-r11, lr}
    sub sp, #60
    str r0, [sp, #48]
    str r1, [sp, #52]
    str r2, [sp, #56]
    mov lr, r1
    load_a lr, 0
    mov r12, r2
    load_b r12, 0
    umull r8, r12, r4, r0
    mov r9, #0
    umaal r9, r12, r5, r0
    mov r10, #0
    umaal r10, r12, r6, r0
    mov r11, #0
    umaal r11, r12, r7, r0
    str r8, [sp]
    low_row 1, r1, r9, r10, r11, r12, r8
    low_row 2, r2, r10, r11, r12, r8, r9
    low_row 3, r3, r11, r12, r8, r9, r10
    load_a lr, 16
    low_row 4, r0, r12, r8, r9, r10, r11
    low_row 5, r1, r8, r9, r10, r11, r12
    low_row 6, r2, r9, r10, r11, r12, r8
    low_row 7, r3, r10, r11, r12, r8, r9
    str r11, [sp, #32]
    str r12, [sp, #36]
    str r8, [sp, #40]
    str r9, [sp, #44]

    ldr r3, [sp, #56]
    ldr r8, [sp, #16]
    ldr r9, [sp, #20]
    ldr r10, [sp, #24]
    ldr r11, [sp, #28]
    load_b r3, 16
    load_a lr, 0
    low_row 4, r0, r8, r9, r10, r11, r12
    low_row 5, r1, r9, r10, r11, r12, r8
    low_row 6, r2, r10, r11, r12, r8, r9
    low_row 7, r3, r11, r12, r8, r9, r10
    /* Words 8 to 15 stay in registers: each row frees the word of b before it. */
    load_a lr, 16
    ldrd r11, lr, [sp, #32]
    row r0, r12, r8, r9, r10, r11
    row r1, r8, r9, r10, r11, lr
    ldrd r0, r1, [sp, #40]
    row r2, r9, r10, r11, lr, r0
    row r3, r10, r11, lr, r0, r1

    /* t8 to t11 are r12, r8, r9, r10. t12 to t15 wait on the stack. */
    str r11, [sp, #32]
    str lr, [sp, #36]
    str r0, [sp, #40]
    str r1, [sp, #44]
    ldm sp, {r4-r7}
    ldr r0, [sp, #16]
    ldr r1, [sp, #20]
    ldr r2, [sp, #24]
    ldr r3, [sp, #28]
    adds r7, r7, r4
    add_m r4, r5, r6, r7, r0, r1, r2, r3, r12, r8, r9, r10, r11
    add lr, sp, #32
    ldm lr, {r4-r7}
    adds r4, r4, r11
    adcs r5, r5, #0
    adcs r6, r6, #0
    adcs r7, r7, #0
    mov r11, #0
    adc r11, r11, #0
    adds r3, r3, r0
    add_m r0, r1, r2, r3, r12, r8, r9, r10, r4, r5, r6, r7, lr
    add lr, lr, r11

    /* lr is 0 or 1. r -= lr p */
    rsb r11, lr, #0
    ldr r0, [sp, #48]
    subs r12, r12, r11
    sbcs r8, r8, r11
    sbcs r9, r9, r11
    sbcs r10, r10, #0
    sbcs r4, r4, #0
    sbcs r5, r5, #0
    sbcs r6, r6, lr
    sbc r7, r7, r11
    str r12, [r0]
    str r8, [r0, #4]
    str r9, [r0, #8]
    str r10, [r0, #12]
    str r4, [r0, #16]
    str r5, [r0, #20]
    str r6, [r0, #24]
    str r7, [r0, #28]
    add sp, #60
    pop {r4-r11, pc}
kernel_end selo_p256_multiply_arm

#endif
