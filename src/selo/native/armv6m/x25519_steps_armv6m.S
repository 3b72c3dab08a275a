/*
 * The equal steps of X25519's ladder, and a chain of squarings, on ARM cores without UMAAL.
 *
 *   void selo_x25519_steps_arm(uint8_t points[224], const uint8_t scalar[32]);
 *
 * The 251 steps of x25519_ladder.c for bits 253 to 3 of the scalar, whose letters these are. points
 * has u, then p2, p3 and d, each x and z, of which d is for work; aligned to 4 bytes. u is below
 * 2^255, and each coordinate below 2^255 + 2^230, as products are.
 *
 *   void selo_field25519_square_times_arm(uint8_t r[32], const uint8_t a[32], uint32_t times);
 *
 * r = a^(2^times), below 2^255 + 2^230; times is at least 1. r may be a.
 *
 * Registers are saved once for all products and squares. Sums and differences are of numbers below
 * 2^255 + 2^230: the sum less 2^256 is below 2^231, so that 38, which 2^256 is, carries into no second
 * 2^256; and a negative difference and 2^256 is above 2^254, so that 38 borrows from none.
 *
 * Cost of selo_x25519_ladder, with its 251 steps: 3,500,174 cycles on Cortex-M0 and 2,607,310 on
 * Cortex-M3 as modelled; 552 bytes of flash for both; 652 bytes of stack (tests/arm/run.sh
 * --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_ARM && !SELO_BACKEND_UMAAL

#include "x25519_field.inc"

/* Where points has them. */
#define U 0
#define P2_X 32
#define P2_Z 64
#define P3_X 96
#define P3_Z 128
#define D_X 160
#define D_Z 192

/* The stack. */
#define POINTS 0
#define SCALAR 4
#define BIT 8
#define LAST 12 /* the bit before this one */

/* r0, r1 and perhaps r2 = addresses in points. */
.macro addresses to, a, b
    ldr r0, [sp, #POINTS]
    .ifnb \b
    movs r2, r0
    .if \b
    adds r2, r2, #\b
    .endif
    .endif
    movs r1, r0
    adds r1, r1, #\a
    adds r0, r0, #\to
.endm

.macro multiply to, a, b
    addresses \to, \a, \b
    bl selo_field25519_multiply_core_arm
.endm

.macro square at
    ldr r0, [sp, #POINTS]
    adds r0, r0, #\at
    movs r1, r0
    bl selo_field25519_square_core_arm
.endm

.macro butterfly x
    addresses \x, \x + 32
    bl butterfly
.endm

kernel selo_x25519_steps_arm
    save_all
    movs r2, #253
    movs r3, #0
    push {r0-r3}
step:
    butterfly P2_X                  /* A, B */
    butterfly P3_X                  /* C, D */
    ldr r4, [sp, #BIT]
    ldr r3, [sp, #SCALAR]
    lsrs r5, r4, #3
    ldrb r3, [r3, r5]
    movs r5, #7
    ands r4, r4, r5
    lsrs r3, r3, r4
    movs r5, #1
    ands r3, r3, r5
    ldr r4, [sp, #LAST]
    str r3, [sp, #LAST]
    eors r3, r3, r4
    addresses D_X, P2_X, P3_X
    bl selo_field25519_select_arm
    multiply P3_Z, P3_Z, P2_X       /* DA */
    multiply P3_X, P3_X, P2_Z       /* CB */
    butterfly P3_X
    square P3_X
    square P3_Z
    multiply P3_Z, P3_Z, U
    square D_X                      /* AA */
    square D_Z                      /* BB */
    multiply P2_X, D_X, D_Z
    addresses D_X, D_X, D_Z
    bl selo_field25519_subtract_arm /* E */
    addresses D_Z, D_X
    bl selo_field25519_add_121666_arm
    multiply P2_Z, D_X, D_Z
    ldr r0, [sp, #BIT]
    subs r0, r0, #1
    str r0, [sp, #BIT]
    cmp r0, #2
    beq 1f
    b step
1:
    add sp, #16
    restore_all_and_return

/* As selo_field25519_butterfly_arm, for numbers below 2^255 + 2^230. Uses r0 to r10. */
butterfly:
    movs r6, #0
    movs r7, #1
    pair
    pair
    pair
    pair
    subs r0, r0, #32
    subs r1, r1, #32
    movs r5, #38
    muls r6, r5, r6
    subs r7, r7, #1
    ands r7, r7, r5
    mov r10, r7
    movs r7, #0
    settle r0, adds, adcs
    mov r6, r10
    settle r1, subs, sbcs
    bx lr
kernel_end selo_x25519_steps_arm

kernel selo_field25519_square_times_arm
    save_all
    push {r0, r2}
1:
    ldr r0, [sp]
    bl selo_field25519_square_core_arm
    ldr r1, [sp]
    ldr r0, [sp, #4]
    subs r0, r0, #1
    str r0, [sp, #4]
    bne 1b
    add sp, #8
    restore_all_and_return
kernel_end selo_field25519_square_times_arm

#endif
