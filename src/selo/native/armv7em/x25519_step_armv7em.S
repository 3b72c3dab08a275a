/*
 * A step of X25519's ladder, and a chain of squarings, on ARM cores with UMAAL.
 *
 *   void selo_x25519_step_arm(uint8_t points[224], uint8_t choice);
 *
 * The step of x25519_ladder.c, whose letters these are. points has u, then p2, p3 and d, each x
 * and z, of which d is for work; aligned to 4 bytes. What is doubled is p3 if choice is 1, else p2.
 * u is below 2^255, and each coordinate below 2^255 + 2^20, as products are.
 *
 *   void selo_field25519_square_times_arm(uint8_t r[32], const uint8_t a[32], uint32_t times);
 *
 * r = a^(2^times), below 2^255 + 2^13; times is at least 1. r may be a.
 *
 * The field's operations without their calls: registers are kept once for ten of them. As all
 * numbers to add are that small, the sum of two less 2^256 is below 2^22, and their difference and
 * 2^256 is above 2^254, so that 38, which 2^256 is, carries into no second word, and borrows from
 * no 2^256. Sum and difference need one pass: the sum's carry is in UMAAL, that of the difference
 * in the flags.
 *
 * Cost of selo_x25519_ladder, with its 251 steps: 589,378 cycles on Cortex-M4 as modelled; 756 bytes
 * of flash for the step and 28 for the squarings (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_UMAAL

#include "x25519_reduce.inc"

/* Where points has them. */
#define U 0
#define P2_X 32
#define P2_Z 64
#define P3_X 96
#define P3_Z 128
#define D_X 160
#define D_Z 192

/* The stack: points, choice, what is pushed. */

.macro multiply to, a, b
    ldr r0, [sp]
    add r1, r0, #\a
    add r2, r0, #\b
    add r0, r0, #\to
    bl selo_field25519_multiply_core
.endm

.macro square at
    ldr r0, [sp]
    add r0, r0, #\at
    mov r1, r0
    bl selo_field25519_square_core
.endm

/* Word \word of x, and the next, at r0: the sum to memory, the difference to d0 and d1. r1 is 1. */
.macro butterfly_pair word, first, d0, d1
    ldr r10, [r0, #4 * \word + 32]
    ldr r11, [r0, #4 * \word + 36]
    mov r12, \d0
    umaal r12, lr, r10, r1
    str r12, [r0, #4 * \word]
    mov r12, \d1
    umaal r12, lr, r11, r1
    str r12, [r0, #4 * \word + 4]
    .if \first
    subs \d0, \d0, r10
    .else
    sbcs \d0, \d0, r10
    .endif
    sbcs \d1, \d1, r11
.endm

kernel selo_x25519_step_arm
    push {r0, r1, r4-r11, lr}
    add r0, r0, #P2_X
    bl butterfly                /* A, B */
    ldr r0, [sp]
    add r0, r0, #P3_X
    bl butterfly                /* C, D */
    ldr r0, [sp]
    ldr r3, [sp, #4]
    rsb r3, r3, #0
    uadd8 r3, r3, r3
    add r1, r0, #P2_X
    add r2, r0, #P3_X
    add r0, r0, #D_X
    .rept 4
    ldm r1!, {r3-r6}
    ldm r2!, {r7-r10}
    sel r3, r7, r3
    sel r4, r8, r4
    sel r5, r9, r5
    sel r6, r10, r6
    stm r0!, {r3-r6}
    .endr
    multiply P3_Z, P3_Z, P2_X   /* DA */
    multiply P3_X, P3_X, P2_Z   /* CB */
    ldr r0, [sp]
    add r0, r0, #P3_X
    bl butterfly                /* CB + DA, CB - DA */
    square P3_X
    square P3_Z
    multiply P3_Z, P3_Z, U
    square D_X                  /* AA */
    square D_Z                  /* BB */
    multiply P2_X, D_X, D_Z

    ldr r0, [sp]                /* E = AA - BB */
    add r0, r0, #D_X
    ldm r0!, {r1, r2, r8-r12, lr}
    ldr r4, [r0]
    ldr r5, [r0, #4]
    ldr r6, [r0, #8]
    ldr r7, [r0, #12]
    subs r1, r1, r4
    sbcs r2, r2, r5
    sbcs r8, r8, r6
    sbcs r9, r9, r7
    ldr r4, [r0, #16]
    ldr r5, [r0, #20]
    ldr r6, [r0, #24]
    ldr r7, [r0, #28]
    sbcs r10, r10, r4
    sbcs r11, r11, r5
    sbcs r12, r12, r6
    sbcs lr, lr, r7
    sbc r4, r4, r4
    and r4, r4, #38
    subs r1, r1, r4
    str r1, [r0, #-32]
    sbcs r2, r2, #0
    str r2, [r0, #-28]
    .irp word, r8, r9, r10, r11, r12
    sbcs \word, \word, #0
    .endr
    sbc lr, lr, #0
    str r8, [r0, #-24]
    str r9, [r0, #-20]
    str r10, [r0, #-16]
    str r11, [r0, #-12]
    str r12, [r0, #-8]
    str lr, [r0, #-4]
    movw r3, #(121666 & 0xffff)
    movt r3, #(121666 >> 16)
    fold r0, r0, r1, r2, r8, r9, r10, r11, r12, lr
    multiply P2_Z, D_X, D_Z
    add sp, #8
    pop {r4-r11, pc}

/* (x, z) = (x + z, x - z), where x is at r0 and z follows. */
butterfly:
    push {lr}
    ldm r0, {r2-r9}
    mov r1, #1
    mov lr, #0
    butterfly_pair 0, 1, r2, r3
    butterfly_pair 2, 0, r4, r5
    butterfly_pair 4, 0, r6, r7
    butterfly_pair 6, 0, r8, r9
    ldr r12, [r0]
    sbc r10, r10, r10
    and r10, r10, #38
    mov r11, #38
    mla r12, lr, r11, r12
    str r12, [r0]
    subs r2, r2, r10
    str r2, [r0, #32]
    .irp word, r3, r4, r5, r6, r7, r8
    sbcs \word, \word, #0
    .endr
    sbc r9, r9, #0
    str r3, [r0, #36]
    str r4, [r0, #40]
    str r5, [r0, #44]
    str r6, [r0, #48]
    str r7, [r0, #52]
    str r8, [r0, #56]
    str r9, [r0, #60]
    pop {pc}
kernel_end selo_x25519_step_arm

kernel selo_field25519_square_times_arm
    push {r0, r2, r4-r11, lr}
1:
    bl selo_field25519_square_core
    ldr r0, [sp]
    ldr r2, [sp, #4]
    mov r1, r0
    subs r2, r2, #1
    str r2, [sp, #4]
    bne.n 1b
    add sp, #8
    pop {r4-r11, pc}
kernel_end selo_field25519_square_times_arm

#endif
