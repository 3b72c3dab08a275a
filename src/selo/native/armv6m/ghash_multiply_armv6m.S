/*
 * The multiplication of GHASH on ARM cores with 16-bit Thumb instructions only.
 *
 *   void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16]);
 *
 * product = product * key in GF(2^128) [SP800-38D, 6.3]. Both have any alignment.
 *
 * Polynomials are multiplied with the integer multiplier, as mode/ghash_multiply.c explains. A product
 * of 16 by 16 bits has all its bits in the 32 that MULS gives; a column has 6 ones at most, so every
 * third bit of a factor may be set. The time is the same for all data where it is for MULS.
 *
 * 27 products, by Karatsuba three times. Words read as big-endian numbers have the coefficient of
 * x^0 on top, so the product of 255 bits moves up by one, and its lower half is reduced.
 *
 * Cost of selo_ghash_multiply: 2,056 cycles on Cortex-M0 as modelled, 1,786 instructions, 120 bytes
 * of stack, 940 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_GHASH && SELO_BACKEND_THUMB1

#include "../arm/kernel.inc"

/* The stack: nine pairs of factors, whose places their products take; the products of the upper and of
 * the lower halves; what is pushed: the product, the registers. */
#define PAIRS 72
#define UPPER 72
#define LOWER 76
#define FRAME 80

/* Every third bit, from bit 0 on, from bit 1 on and from bit 2 on. */
#define MASK0 r8
#define MASK1 r9
#define MASK2 r11
#define NEXT r10

/* \to = the big-endian word at \at(r0). Uses r1. */
.macro load_word to, at
    ldrb \to, [r0, #\at]
    .irp byte, 1, 2, 3
    lsls \to, \to, #8
    ldrb r1, [r0, #\at + \byte]
    orrs \to, \to, r1
    .endr
.endm

/* The first or second factors of all pairs, from 16 bytes at r0. Uses r1 to r7. */
.macro factors at
    load_word r5, 0
    load_word r4, 4
    load_word r3, 8
    load_word r2, 12
    str r2, [sp, #\at]
    str r3, [sp, #\at + 8]
    str r4, [sp, #\at + 24]
    str r5, [sp, #\at + 32]
    movs r6, r2
    eors r6, r6, r3
    str r6, [sp, #\at + 16]
    movs r7, r4
    eors r7, r7, r5
    str r7, [sp, #\at + 40]
    eors r6, r6, r7
    str r6, [sp, #\at + 64]
    eors r2, r2, r4
    str r2, [sp, #\at + 48]
    eors r3, r3, r5
    str r3, [sp, #\at + 56]
.endm

/* r6 += a b, which r7 takes. */
.macro add_product a, b
    movs r7, \a
    muls r7, \b, r7
    eors r6, r6, r7
.endm

.macro every_third a0, a1, a2
    mov \a1, MASK1
    ands \a1, \a1, \a0
    mov \a2, MASK2
    ands \a2, \a2, \a0
    mov r7, MASK0
    ands \a0, \a0, r7
.endm

/* r6 = the product of the polynomials of 16 bits r0 and r3. Uses r0 to r5, r7 and r12. */
.macro multiply_halves
    every_third r0, r1, r2
    every_third r3, r4, r5
    movs r6, r0
    muls r6, r3, r6
    add_product r1, r5
    add_product r2, r4
    mov r7, MASK0
    ands r6, r6, r7
    mov r12, r6
    movs r6, r0
    muls r6, r4, r6
    add_product r1, r3
    add_product r2, r5
    mov r7, MASK1
    ands r6, r6, r7
    mov r7, r12
    orrs r7, r7, r6
    mov r12, r7
    muls r0, r5, r0
    muls r1, r4, r1
    eors r0, r0, r1
    muls r2, r3, r2
    eors r0, r0, r2
    mov r7, MASK2
    ands r0, r0, r7
    mov r6, r12
    orrs r6, r6, r0
.endm

/* r4 to r7 = the product of 64 bits by 64 whose three products are at \at. Uses r0 to r3. */
.macro combine at
    add r0, sp, #\at
    ldm r0!, {r4-r7}
    ldm r0!, {r1, r2}
    eors r1, r1, r4
    eors r2, r2, r5
    eors r1, r1, r6
    eors r2, r2, r7
    eors r5, r5, r1
    eors r6, r6, r2
.endm

/* x^128 = 1 + x + x^2 + x^7: word \low comes back 128 bits further up, in two words. Uses r7. */
.macro reduce low, high, below
    eors \high, \high, \low
    .irp by, 1, 2, 7
    lsrs r7, \low, #\by
    eors \high, \high, r7
    .endr
    .irp by, 31, 30, 25
    lsls r7, \low, #\by
    eors \below, \below, r7
    .endr
.endm

kernel selo_ghash_multiply
    push {r4-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r0, r4-r7}
    sub sp, #FRAME
    mov r12, r1
    factors 0
    mov r0, r12
    factors 4
    ldr r0, =0x49249249
    mov MASK0, r0
    lsls r1, r0, #1
    mov MASK1, r1
    lsls r1, r0, #2
    mov MASK2, r1
    mov r7, sp
1:
    mov NEXT, r7
    ldrh r0, [r7, #2]
    ldrh r3, [r7, #6]
    multiply_halves
    str r6, [sp, #UPPER]
    mov r7, NEXT
    ldrh r0, [r7]
    ldrh r3, [r7, #4]
    multiply_halves
    str r6, [sp, #LOWER]
    mov r7, NEXT
    ldm r7!, {r0, r3}
    lsrs r1, r0, #16
    lsrs r4, r3, #16
    eors r0, r0, r1
    eors r3, r3, r4
    uxth r0, r0
    uxth r3, r3
    multiply_halves
    ldr r2, [sp, #UPPER]
    ldr r1, [sp, #LOWER]
    eors r6, r6, r1
    eors r6, r6, r2
    lsls r3, r6, #16
    eors r1, r1, r3
    lsrs r6, r6, #16
    eors r2, r2, r6
    mov r7, NEXT
    stm r7!, {r1, r2}
    add r0, sp, #PAIRS
    cmp r7, r0
    beq 2f
    b 1b
2:
    /* The middle product + the outer two, in its place. */
    combine 48
    add r3, sp, #48
    stm r3!, {r4-r7}
    combine 24
    add r3, sp, #24
    stm r3!, {r4-r7}
    combine 0
    add r3, sp, #24
    ldm r3!, {r0-r2}            /* words 4 to 6; word 7 is loaded later */
    mov r8, r4
    mov r9, r5
    /* Words 2 to 5 += the middle product + words 0 to 3 + words 4 to 7. */
    ldr r3, [sp, #48]
    eors r3, r3, r4
    eors r3, r3, r0
    eors r3, r3, r6
    mov r10, r3                 /* word 2 */
    ldr r3, [sp, #52]
    eors r3, r3, r5
    eors r3, r3, r1
    eors r3, r3, r7
    mov r11, r3                 /* word 3 */
    ldr r3, [sp, #56]
    eors r3, r3, r6
    eors r3, r3, r2
    ldr r4, [sp, #60]
    eors r4, r4, r7
    ldr r7, [sp, #36]           /* word 7 */
    eors r4, r4, r7
    eors r4, r4, r1             /* word 5 */
    eors r3, r3, r0             /* word 4 */
    movs r5, r2                 /* word 6 */
    mov r6, r7
    mov r0, r8
    mov r1, r9
    mov r2, r10
    mov r12, r6
    mov r6, r11
    adds r0, r0, r0
    adcs r1, r1, r1
    adcs r2, r2, r2
    adcs r6, r6, r6
    adcs r3, r3, r3
    adcs r4, r4, r4
    adcs r5, r5, r5
    mov r7, r12
    adcs r7, r7, r7
    /* Words 0 to 7 are r0, r1, r2, r6, r3, r4, r5, r12. */
    mov r12, r7
    reduce r0, r3, r6
    reduce r1, r4, r3
    reduce r2, r5, r4
    mov r0, r12
    reduce r6, r0, r5
    ldr r7, [sp, #FRAME]
    .irp word, r0, r5, r4, r3
    .irp byte, 3, 2, 1, 0
    strb \word, [r7, #\byte]
    .if \byte
    lsrs \word, \word, #8
    .endif
    .endr
    adds r7, #4
    .endr
    /* The products would give away the key. */
    movs r0, #0
    movs r1, #0
    movs r2, #0
    movs r3, #0
    mov r7, sp
    .rept 5
    stm r7!, {r0-r3}
    .endr
    add sp, #FRAME + 4
    pop {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    pop {r4-r7, pc}
    .ltorg
kernel_end selo_ghash_multiply

#endif
