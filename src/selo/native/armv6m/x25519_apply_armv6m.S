/*
 * The matrix of 28 division steps on two numbers, on ARM cores with 16-bit instructions.
 *
 *   void selo_field25519_apply_arm(int32_t pair[22], const int32_t halves[8]);
 *
 * (a, b) = (u a + v b, q a + r b) / 2^28, rounded down [field_invert_divsteps.c]. pair has a word for
 * work, the ten limbs of a, another word, and those of b. Limbs have 28 bits, the highest a sign. halves
 * has the lower 14 bits and the rest of u, v, q and r.
 *
 * A limb times an entry is four products of halves. The bounds are those of field_invert_divsteps.c:
 * every sum fits in a word.
 *
 * Cost of selo_field25519_apply_arm: 998 cycles on Cortex-M0 as modelled, 814 instructions, 56 bytes of
 * stack, 224 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_THUMB1

#include "x25519_field.inc"

/* The stack: q and r in halves, the end of a. */
#define END 16

/* The limb below \at = that of x a + y b. a is in r2 (low) and r3, b in r4 and r5. The carry is in
 * \carry. \get loads a half of x or y to a register: 0 and 1 of x, 2 and 3 of y. Uses r1, r6, r7. */
.macro limb at, carry, get
    \get r7, 1
    muls r7, r2, r7
    \get r6, 0
    muls r6, r3, r6
    adds r7, r7, r6
    \get r6, 3
    muls r6, r4, r6
    adds r7, r7, r6
    \get r6, 2
    muls r6, r5, r6
    adds r7, r7, r6         /* the sum of the middle products */
    lsls r6, r7, #18
    lsrs r6, r6, #4
    asrs r7, r7, #14
    \get r1, 0
    muls r1, r2, r1
    adds r6, r6, r1
    \get r1, 2
    muls r1, r4, r1
    adds r6, r6, r1
    add r6, \carry
    lsls r1, r6, #4
    lsrs r1, r1, #4
    str r1, [r0, #\at]
    asrs r6, r6, #28
    adds r7, r7, r6
    \get r1, 1
    muls r1, r3, r1
    adds r7, r7, r1
    \get r1, 3
    muls r1, r5, r1
    adds r7, r7, r1
    mov \carry, r7
.endm

.macro of_first to, half
    .if \half == 0
    mov \to, r8
    .elseif \half == 1
    mov \to, r9
    .elseif \half == 2
    mov \to, r10
    .else
    mov \to, r11
    .endif
.endm

.macro of_second to, half
    ldr \to, [sp, #4 * \half]
.endm

kernel selo_field25519_apply_arm
    save_all
    movs r2, r1
    adds r2, r2, #16
    ldm r2!, {r4-r7}
    movs r3, #40
    adds r3, r3, r0
    sub sp, #20
    str r3, [sp, #END]
    add r2, sp, #0
    stm r2!, {r4-r7}
    ldm r1!, {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    movs r2, #0
    mov r12, r2
    mov lr, r2
1:
    ldr r2, [r0, #4]
    ldr r4, [r0, #48]
    asrs r3, r2, #14
    lsls r2, r2, #18
    lsrs r2, r2, #18
    asrs r5, r4, #14
    lsls r4, r4, #18
    lsrs r4, r4, #18
    limb 0, r12, of_first
    limb 44, lr, of_second
    adds r0, r0, #4
    ldr r1, [sp, #END]
    cmp r0, r1
    bne 1b
    mov r1, r12
    str r1, [r0]
    mov r1, lr
    str r1, [r0, #44]
    add sp, #20
    restore_all_and_return
kernel_end selo_field25519_apply_arm

#endif
