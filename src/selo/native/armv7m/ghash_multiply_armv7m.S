/*
 * The multiplication of GHASH on ARM cores with 32-bit Thumb instructions and without a UMULL that
 * takes the same time for all numbers: Cortex-M3.
 *
 *   void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16]);
 *
 * product = product * key in GF(2^128) [SP800-38D, 6.3]. Both have any alignment.
 *
 * Polynomials are multiplied with the integer multiplier, as mode/ghash_multiply.c explains. A product
 * of 16 by 16 bits has all its bits in the 32 that MUL gives, in one cycle for all numbers; a column
 * has 6 ones at most, so every third bit of a factor may be set.
 *
 * 27 products, by Karatsuba three times. Words read as big-endian numbers have the coefficient of
 * x^0 on top, so the product of 255 bits moves up by one, and its lower half is reduced.
 *
 * Cost of selo_ghash_multiply: 1,166 cycles on Cortex-M3 as modelled, 1,067 instructions, 120 bytes
 * of stack, 916 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_GHASH && SELO_BACKEND_THUMB2 && !SELO_BACKEND_UMAAL

/* The stack: nine pairs of factors, whose places their products take; the products of the upper and of
 * the lower halves; what is pushed: the product first. */
#define PAIRS 72
#define UPPER 72
#define LOWER 76
#define FRAME 80

#include "../arm/ghash_thumb2.inc"

/* \to = the product of the polynomials of 16 bits r0 and r1. Uses r2 to r9. */
.macro multiply_halves to
    and r2, r0, r10
    and r3, r0, r11
    and r4, r0, r12
    and r5, r1, r10
    and r6, r1, r11
    and r7, r1, r12
    mul r8, r2, r5
    mul r9, r3, r7
    eor r8, r8, r9
    mul r9, r4, r6
    eor r8, r8, r9
    and \to, r8, r10
    mul r8, r2, r6
    mul r9, r3, r5
    eor r8, r8, r9
    mul r9, r4, r7
    eor r8, r8, r9
    and r8, r8, r11
    orr \to, \to, r8
    mul r2, r2, r7
    mul r3, r3, r6
    eor r2, r2, r3
    mul r4, r4, r5
    eor r2, r2, r4
    and r2, r2, r12
    orr \to, \to, r2
.endm

kernel selo_ghash_multiply
    push {r0, r4-r11, lr}
    sub sp, #FRAME
    factors 0
    mov r0, r1
    factors 4
    mov lr, sp
    movw r10, #0x9249
    movt r10, #0x4924       /* every third bit from bit 0 on, from bit 1 on and from bit 2 on */
    lsl r11, r10, #1
    lsl r12, r10, #2
1:
    ldrh r0, [lr, #2]
    ldrh r1, [lr, #6]
    multiply_halves r0
    str r0, [sp, #UPPER]
    ldrh r0, [lr]
    ldrh r1, [lr, #4]
    multiply_halves r0
    str r0, [sp, #LOWER]
    ldr r0, [lr]
    ldr r1, [lr, #4]
    eor r0, r0, r0, lsr #16
    eor r1, r1, r1, lsr #16
    uxth r0, r0
    uxth r1, r1
    multiply_halves r0
    ldr r1, [sp, #UPPER]
    ldr r2, [sp, #LOWER]
    eor r0, r0, r1
    eor r0, r0, r2
    eor r2, r2, r0, lsl #16
    eor r1, r1, r0, lsr #16
    str r2, [lr], #4
    str r1, [lr], #4
    add r2, sp, #PAIRS
    cmp lr, r2
    bne.w 1b

    combine_and_reduce
    /* The products would give away the key. */
    mov r0, #0
    mov r1, #0
    mov r2, #0
    mov r3, #0
    mov r4, #0
    mov r5, #0
    mov r12, sp
    .rept 4
    stm r12!, {r0-r4}
    .endr
    add sp, #FRAME + 4
    pop {r4-r11, pc}
kernel_end selo_ghash_multiply

#endif
