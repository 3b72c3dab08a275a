/*
 * Squaring modulo 2^255 - 19 on ARM cores with UMAAL.
 *
 *   void selo_field25519_square_arm(uint8_t r[32], const uint8_t a[32]);
 *
 * r = a^2 mod p, below 2^255 + 2^230. r may be a. Both are aligned to 4 bytes.
 *
 *   void selo_field25519_square_core(the same);
 *
 * is for other kernels: it keeps no register, and works in the 60 bytes at the stack pointer.
 *
 * Row i adds the products of word i and all words above it, 28 in all. Then one pass doubles
 * their sum with ADCS and adds the squares of the words with UMAAL, which leaves the flags.
 *
 * Cost of selo_field25519_square_arm: 186 cycles on Cortex-M4 as modelled, 139 instructions, 96
 * bytes of stack, 480 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_UMAAL

#include "x25519_reduce.inc"

/* The words x0 and x1, 2 i and 2 i + 1 of the result, from their sum of products and word i of a.
 * r5 is the carry of the squares, r8 is 0. */
.macro finish x0, x1, a
    adcs \x0, \x0, \x0
    adcs \x1, \x1, \x1
    umaal \x0, r5, \a, \a
    umaal \x1, r5, r8, r8
.endm

/* Words \at and \at + 1 of the sum of products from memory, and back as those of the result. */
.macro finish_low at
    ldr r6, [r7, #2 * \at]
    ldr r3, [sp, #4 * \at]
    ldr r4, [sp, #4 * \at + 4]
    finish r3, r4, r6
    str r3, [sp, #4 * \at]
    str r4, [sp, #4 * \at + 4]
.endm

/* The stack: the eight low words; from 48 on r, a, lr. */
kernel selo_field25519_square_arm
    push {r4-r11, lr}
    sub sp, #60
    bl selo_field25519_square_core
    add sp, #60
    pop {r4-r11, pc}
entry selo_field25519_square_core
    str r0, [sp, #48]
    str r1, [sp, #52]
    str lr, [sp, #56]
    ldm r1, {r0-r7}
    /* Word 0: words 1 to 8 of the sum of products. */
    umull r8, r9, r0, r1
    str r8, [sp, #4]
    mov r8, #0
    umaal r8, r9, r0, r2
    str r8, [sp, #8]
    mov r8, #0
    umaal r8, r9, r0, r3
    mov r10, #0
    umaal r10, r9, r0, r4
    mov r11, #0
    umaal r11, r9, r0, r5
    mov r12, #0
    umaal r12, r9, r0, r6
    mov lr, #0
    umaal lr, r9, r0, r7
    /* Word 1: words 3 to 8 are in r8, r10, r11, r12, lr, r9; the carry becomes word 9. */
    mov r0, #0
    umaal r8, r0, r1, r2
    umaal r10, r0, r1, r3
    umaal r11, r0, r1, r4
    umaal r12, r0, r1, r5
    umaal lr, r0, r1, r6
    umaal r9, r0, r1, r7
    str r8, [sp, #12]
    str r10, [sp, #16]
    /* Word 2 */
    mov r1, #0
    umaal r11, r1, r2, r3
    umaal r12, r1, r2, r4
    umaal lr, r1, r2, r5
    umaal r9, r1, r2, r6
    umaal r0, r1, r2, r7
    str r11, [sp, #20]
    str r12, [sp, #24]
    /* Word 3 */
    mov r2, #0
    umaal lr, r2, r3, r4
    umaal r9, r2, r3, r5
    umaal r0, r2, r3, r6
    umaal r1, r2, r3, r7
    /* Word 4 */
    mov r11, #0
    umaal r0, r11, r4, r5
    umaal r1, r11, r4, r6
    umaal r2, r11, r4, r7
    /* Word 5 */
    mov r12, #0
    umaal r2, r12, r5, r6
    umaal r11, r12, r5, r7
    /* Word 6: words 7 to 14 are in lr, r9, r0, r1, r2, r11, r12, r10. */
    mov r10, #0
    umaal r12, r10, r6, r7


    ldr r7, [sp, #52]
    mov r8, #0
    ldr r6, [r7]
    ldr r4, [sp, #4]
    umull r3, r5, r6, r6
    adds r4, r4, r4
    umaal r4, r5, r8, r8
    str r3, [sp]
    str r4, [sp, #4]
    finish_low 2
    finish_low 4
    ldr r6, [r7, #12]
    ldr r3, [sp, #24]
    finish r3, lr, r6
    str r3, [sp, #24]
    str lr, [sp, #28]
    ldr r6, [r7, #16]
    ldr r3, [r7, #20]
    ldr r4, [r7, #24]
    ldr lr, [r7, #28]
    finish r9, r0, r6
    finish r1, r2, r3
    finish r11, r12, r4
    adcs r10, r10, r10
    umaal r10, r5, lr, lr
    adc lr, r5, r8

    mov r3, #38
    ldr r8, [sp, #48]
    fold r8, sp, r9, r0, r1, r2, r11, r12, r10, lr
    ldr pc, [sp, #56]
kernel_end selo_field25519_square_arm

#endif
