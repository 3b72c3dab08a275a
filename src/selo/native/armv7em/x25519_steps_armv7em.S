/*
 * The equal steps of X25519's ladder, and a chain of squarings, on ARM cores with UMAAL.
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
 * The field's operations without their calls, on a copy of points whose places the stack pointer
 * gives. The difference of two coordinates and 2^256 is above 2^254, so that 38, which 2^256 is, borrows
 * from no 2^256. Sum and difference need one pass: the sum's carry is in UMAAL, that of the difference
 * in the flags. SEL chooses what is doubled (x25519_select_armv7em.S). Four of the five
 * products are of the two numbers of d (multiply_d).
 *
 * Cost of selo_x25519_ladder, with its 251 steps: 546,338 cycles on Cortex-M4 as modelled; 1,748 bytes
 * of flash for both; 336 bytes of stack for the steps (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_UMAAL

#include "x25519_reduce.inc"

/* The stack: work of the products, the copy of points, the arguments, the bit, the one before it,
 * what is pushed. */
#define U 60
#define P2_X (U + 32)
#define P2_Z (P2_X + 32)
#define P3_X (P2_Z + 32)
#define P3_Z (P3_X + 32)
#define D_X (P3_Z + 32)
#define D_Z (D_X + 32)
#define POINTS (D_Z + 32)
#define SCALAR (POINTS + 4)
#define BIT (SCALAR + 4)
#define LAST (BIT + 4)
#define FRAME (LAST + 4)

.macro multiply to, a, b
    add r0, sp, #\to
    add r1, sp, #\a
    add r2, sp, #\b
    bl selo_field25519_multiply_core
.endm

.macro square to, at
    add r0, sp, #\to
    add r1, sp, #\at
    bl selo_field25519_square_core
.endm

/* \to = x z of d */
.macro multiply_d to
    add r0, sp, #\to
    bl multiply_d
.endm

/* Two words of x in d0 and d1 and of z at \z: the sum to \x, the difference to d0 and d1. r1 is 1.
 * \sub is SUBS or SBCS. */
.macro butterfly_pair x, z, sub, d0, d1
    ldr r10, [sp, #\z]
    ldr r11, [sp, #\z + 4]
    mov r12, \d0
    umaal r12, lr, r10, r1
    str r12, [sp, #\x]
    mov r12, \d1
    umaal r12, lr, r11, r1
    str r12, [sp, #\x + 4]
    \sub \d0, \d0, r10
    sbcs \d1, \d1, r11
.endm

/* x + z and x - z to \sum and \difference. The sum's top word and its quotient by 2^255 come first,
 * without the carry into that word, which may stay there. The quotient, at most 2, goes in at the
 * bottom as 19 times itself. */
.macro butterfly x, z, sum, difference
    add r12, sp, #\x
    ldm r12, {r2-r9}
    ldr r0, [sp, #\z + 28]
    mov r1, #1
    mov lr, #0
    mov r11, #19
    adds r0, r0, r9
    adc lr, lr, lr
    adds r0, r0, r0
    adc lr, lr, lr
    mul lr, lr, r11
    butterfly_pair \sum, \z, subs, r2, r3
    butterfly_pair \sum + 8, \z + 8, sbcs, r4, r5
    butterfly_pair \sum + 16, \z + 16, sbcs, r6, r7
    ldr r10, [sp, #\z + 24]
    ldr r11, [sp, #\z + 28]
    mov r12, r8
    umaal r12, lr, r10, r1
    str r12, [sp, #\sum + 24]
    add r12, lr, r0, lsr #1
    str r12, [sp, #\sum + 28]
    sbcs r8, r8, r10
    sbcs r9, r9, r11
    sbc r10, r10, r10
    and r10, r10, #38
    subs r2, r2, r10
    .irp word, r3, r4, r5, r6, r7, r8
    sbcs \word, \word, #0
    .endr
    sbc r9, r9, #0
    add r12, sp, #\difference
    stm r12, {r2-r9}
.endm

/* A number stays where GE is set and becomes that at \other where not, or the reverse. */
.macro sel_kept d, other
    sel \d, \d, \other
.endm
.macro sel_other d, other
    sel \d, \other, \d
.endm
.macro choose how, d, other
    add r0, sp, #\d
    add r1, sp, #\other
    .rept 2
    ldm r0, {r2-r5}
    ldm r1!, {r6-r9}
    \how r2, r6
    \how r3, r7
    \how r4, r8
    \how r5, r9
    stm r0!, {r2-r5}
    .endr
.endm

kernel selo_x25519_steps_arm
    push {r4-r11, lr}
    sub sp, #FRAME
    str r0, [sp, #POINTS]
    str r1, [sp, #SCALAR]
    add r1, sp, #U
    .rept 5
    ldm r0!, {r2-r9}
    stm r1!, {r2-r9}
    .endr
    mov r4, #0
    mov r2, #253
1:
    str r2, [sp, #BIT]
    ldr r1, [sp, #SCALAR]
    lsr r3, r2, #3
    ldrb r3, [r1, r3]
    and r2, r2, #7
    lsr r3, r3, r2
    and r3, r3, #1
    str r3, [sp, #LAST]
    eor r3, r3, r4
    rsb r3, r3, #0
    uadd8 r3, r3, r3            /* GE is the choice */
    butterfly P2_X, P2_Z, P2_X, D_Z     /* A, B */
    butterfly P3_X, P3_Z, D_X, P3_Z     /* C, D */
    multiply_d P3_X                     /* CB */
    choose sel_kept, D_X, P2_X          /* A or C */
    choose sel_other, D_Z, P3_Z         /* B or D */
    multiply P3_Z, P3_Z, P2_X           /* DA */
    square D_X, D_X                     /* AA */
    square D_Z, D_Z                     /* BB */
    multiply_d P2_X
    add r0, sp, #D_X            /* E = AA - BB */
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
    sbcs r2, r2, #0
    .irp word, r8, r9, r10, r11, r12
    sbcs \word, \word, #0
    .endr
    sbc lr, lr, #0
    add r3, sp, #D_X
    stm r3, {r1, r2, r8-r12, lr}
    movw r3, #(121666 & 0xffff)
    movt r3, #(121666 >> 16)
    fold r0, r0, r1, r2, r8, r9, r10, r11, r12, lr
    multiply_d P2_Z
    butterfly P3_X, P3_Z, P3_X, P3_Z    /* CB + DA, CB - DA */
    square P3_X, P3_X
    square D_X, P3_Z
    add r0, sp, #U
    ldm r0, {r2-r9}
    add r0, sp, #D_Z
    stm r0, {r2-r9}
    multiply_d P3_Z
    ldr r2, [sp, #BIT]
    ldr r4, [sp, #LAST]
    sub r2, r2, #1
    cmp r2, #3
    bhs 1b

    ldr r0, [sp, #POINTS]
    add r0, r0, #32
    add r1, sp, #P2_X
    .rept 4
    ldm r1!, {r2-r9}
    stm r0!, {r2-r9}
    .endr
    add sp, #FRAME
    pop {r4-r11, pc}

/* The five words x0 to x4 and carry += a[0..5) b; x0 is then done, and the carry is word 5. */
.macro row_of_five b, x0, x1, x2, x3, x4, carry
    umaal \x0, \carry, r0, \b
    umaal \x1, \carry, r1, \b
    umaal \x2, \carry, r2, \b
    umaal \x3, \carry, r3, \b
    umaal \x4, \carry, r4, \b
.endm

/* The three words x0 to x2 and carry += a[5..8) b. */
.macro row_of_three b, x0, x1, x2, carry
    umaal \x0, \carry, r0, \b
    umaal \x1, \carry, r1, \b
    umaal \x2, \carry, r2, \b
.endm

/*
 * The eight words at r0 = x z of d, below 2^255 + 2^230. The place of d is known, so no register holds
 * an address: five words of x times all of z, then the other three. In the last five rows a word of
 * the first product is the carry that the row begins with.
 */
multiply_d:
    str r0, [sp, #48]
    str lr, [sp, #56]
    add lr, sp, #D_X
    ldm lr!, {r0-r4}
    ldrd r11, r12, [sp, #D_Z]
    umull r5, r6, r0, r11
    mov r7, #0
    umaal r7, r6, r1, r11
    mov r8, #0
    umaal r8, r6, r2, r11
    mov r9, #0
    umaal r9, r6, r3, r11
    mov r10, #0
    umaal r10, r6, r4, r11
    str r5, [sp]
    mov r5, #0
    row_of_five r12, r7, r8, r9, r10, r6, r5
    str r7, [sp, #4]
    ldrd r11, r12, [sp, #D_Z + 8]
    mov r7, #0
    row_of_five r11, r8, r9, r10, r6, r5, r7
    str r8, [sp, #8]
    mov r8, #0
    row_of_five r12, r9, r10, r6, r5, r7, r8
    str r9, [sp, #12]
    ldrd r11, r12, [sp, #D_Z + 16]
    mov r9, #0
    row_of_five r11, r10, r6, r5, r7, r8, r9
    str r10, [sp, #16]
    mov r10, #0
    row_of_five r12, r6, r5, r7, r8, r9, r10
    str r6, [sp, #20]
    ldrd r11, r12, [sp, #D_Z + 24]
    mov r6, #0
    row_of_five r11, r5, r7, r8, r9, r10, r6
    mov r11, #0
    row_of_five r12, r7, r8, r9, r10, r6, r11
    /* Words 6 to 12 are in r5, r7, r8, r9, r10, r6, r11. */
    ldm lr, {r0-r2}
    ldr r3, [sp, #20]
    ldr r12, [sp, #D_Z]
    ldr lr, [sp, #D_Z + 4]
    mov r4, #0
    row_of_three r12, r3, r5, r7, r4
    str r3, [sp, #20]
    mov r3, #0
    row_of_three lr, r5, r7, r4, r3
    str r5, [sp, #24]
    ldrd r12, lr, [sp, #D_Z + 8]
    mov r5, #0
    row_of_three r12, r7, r4, r3, r5
    row_of_three lr, r4, r3, r5, r8
    ldrd r12, lr, [sp, #D_Z + 16]
    row_of_three r12, r3, r5, r8, r9
    row_of_three lr, r5, r8, r9, r10
    ldrd r12, lr, [sp, #D_Z + 24]
    row_of_three r12, r8, r9, r10, r6
    row_of_three lr, r9, r10, r6, r11
    /* Word 7 is in r7, words 8 to 15 in r4, r3, r5, r8, r9, r10, r6, r11. The reduction is that of
     * x25519_reduce.inc. */
    mov r0, #38
    mov r1, #0
    umlal r7, r1, r0, r11
    adds r7, r7, r7
    adc r1, r1, r1
    mov r2, #19
    mul r1, r1, r2
    ldr r2, [sp, #48]
    ldm sp, {r11, r12, lr}
    umaal r11, r1, r4, r0
    umaal r12, r1, r3, r0
    umaal lr, r1, r5, r0
    str r11, [r2]
    str r12, [r2, #4]
    str lr, [r2, #8]
    ldr r3, [sp, #12]
    ldr r4, [sp, #16]
    ldr r5, [sp, #20]
    ldr r11, [sp, #24]
    umaal r3, r1, r8, r0
    umaal r4, r1, r9, r0
    umaal r5, r1, r10, r0
    umaal r11, r1, r6, r0
    add r1, r1, r7, lsr #1
    str r3, [r2, #12]
    str r4, [r2, #16]
    str r5, [r2, #20]
    str r11, [r2, #24]
    str r1, [r2, #28]
    ldr pc, [sp, #56]
kernel_end selo_x25519_steps_arm

kernel selo_field25519_square_times_arm
    push {r4-r11, lr}
    sub sp, #68
    str r2, [sp, #60]
1:
    bl selo_field25519_square_core
    ldr r0, [sp, #48]
    ldr r2, [sp, #60]
    mov r1, r0
    subs r2, r2, #1
    str r2, [sp, #60]
    bne 1b
    add sp, #68
    pop {r4-r11, pc}
kernel_end selo_field25519_square_times_arm

#endif
