/*
 * Multiplication modulo 2^255 - 19 on ARM cores with UMAAL.
 *
 *   void selo_field25519_multiply_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a b mod p, below 2^255 + 2^230. r may be a or b. All three are aligned to 4 bytes.
 *
 * Operand scanning in rows (rows.inc): both halves of a times the low half of b, then both times the
 * high one.
 *
 *   void selo_field25519_multiply_core(the same);
 *
 * is for other kernels: it keeps no register, and works in the 60 bytes at the stack pointer.
 *
 * Cost of selo_field25519_multiply_arm: 209 cycles on Cortex-M4 as modelled, 147 instructions,
 * 96 bytes of stack, 548 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_UMAAL

#include "rows.inc"
#include "x25519_reduce.inc"

/* The stack: twelve words of the product, r, b, lr. */
kernel selo_field25519_multiply_arm
    push {r4-r11, lr}
    sub sp, #60
    bl selo_field25519_multiply_core
    add sp, #60
    pop {r4-r11, pc}
entry selo_field25519_multiply_core
    str r0, [sp, #48]
    str r2, [sp, #52]
    str lr, [sp, #56]
    mov lr, r1
    ldm lr!, {r4-r7}
    ldm r2, {r0-r3}
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
    /* Words 4 to 7 stay in registers for the high half of a. */
    ldm lr, {r4-r7}
    low_row 4, r0, r12, r8, r9, r10, r11
    low_row 5, r1, r8, r9, r10, r11, r12
    low_row 6, r2, r9, r10, r11, r12, r8
    low_row 7, r3, r10, r11, r12, r8, r9
    str r11, [sp, #32]
    str r12, [sp, #36]
    str r8, [sp, #40]
    str r9, [sp, #44]

    ldr r0, [sp, #52]
    ldr r8, [sp, #16]
    ldr r9, [sp, #20]
    ldr r10, [sp, #24]
    ldr r11, [sp, #28]
    add r0, r0, #16
    ldm r0, {r0-r3}
    ldmdb lr, {r4-r7}
    low_row 4, r0, r8, r9, r10, r11, r12
    low_row 5, r1, r9, r10, r11, r12, r8
    low_row 6, r2, r10, r11, r12, r8, r9
    low_row 7, r3, r11, r12, r8, r9, r10
    /* Words 8 to 15 stay in registers: each row frees the word of b before it. */
    ldm lr, {r4-r7}
    ldrd r11, lr, [sp, #32]
    row r0, r12, r8, r9, r10, r11
    row r1, r8, r9, r10, r11, lr
    ldrd r0, r1, [sp, #40]
    row r2, r9, r10, r11, lr, r0
    row r3, r10, r11, lr, r0, r1

    mov r3, #38
    ldr r2, [sp, #48]
    fold r2, sp, r12, r8, r9, r10, r11, lr, r0, r1
    ldr pc, [sp, #56]
kernel_end selo_field25519_multiply_arm

#endif
