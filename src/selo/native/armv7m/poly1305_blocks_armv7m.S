/*
 * Poly1305 on ARM cores with 32-bit Thumb instructions and without UMAAL (Cortex-M3).
 *
 *   void selo_poly1305_blocks(struct selo_poly1305 *mac, const uint8_t *data, size_t blocks);
 *   void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17]);
 *
 * For each block, sum = (sum + block) * multiplier modulo p = 2^130 - 5 [RFC8439, 2.5]. The first
 * function takes at least one block of 16 bytes, each of which is followed by a bit. The second
 * takes a number of 17 bytes, the last of which is 0 or 1. data has any alignment.
 *
 * On a Cortex-M3 MUL takes one cycle and MLA two for all numbers [CORTEXM3, Table 3-1]; UMULL and UMLAL
 * do not, and are not used. The sum has five words h0 to h4, where h4 is at most 4, and the multiplier
 * four, r0 to r3, below 2^28, the last three of which are multiples of 4. 2^128 times one of these is
 * 5 / 4 of it modulo p: s1 to s3. Of the 16 products of words, those of a column have the same power
 * of 2^32: column k is h0 rk + h1 r(k - 1) + ..., with s(4 + j) for each rj with j below 0.
 *
 * A word of the sum has halves of 16 bits, one of the multiplier a lower part of 14 bits and an upper
 * part. A column is four sums of four products: lower parts by lower and by upper halves, upper parts
 * by both. Bounds: lower parts are below 2^14, so each sum of theirs is below 4 (2^14 2^16) = 2^32. An
 * upper part of r is below 2^14, one of s below 1.25 2^14, so three products of any of them are below
 * 3.75 2^30. In columns 0 to 2 the fourth product is added to the column alone.
 *
 * With a block h4 is at most 6. A column is below 4.75 2^60 + 2^33, so its carry is below 1.2 2^30; with
 * h4 s, below 6 * 1.25 2^28, it is a word. What comes back from the fifth word, 5 / 4 of it, is below
 * 1.25 (6 * 2^28 + 1.2 2^30) = 3.4 2^30.
 *
 * Cost of selo_poly1305_block: 310 cycles on Cortex-M3 as modelled, 199 instructions, 48 bytes of
 * stack, 700 bytes of flash for both. Each block after the first takes 268: 16.8 cycles a byte. Twelve
 * blocks with their caller take 3,282 cycles (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_POLY1305 && SELO_BACKEND_THUMB2 && !SELO_BACKEND_UMAAL

#include "../arm/kernel.inc"

/* The halves of h. Between two blocks the upper registers have the words. */
l0 .req r4
l1 .req r5
l2 .req r6
l3 .req r7
u0 .req r8
u1 .req r9
u2 .req r10
u3 .req r11
/* A column. What leaves it is the next one's carry, apart from the carry flag, which also goes on:
 * loads, stores, MUL and MLA leave it alone. */
low .req r12
high .req lr

/* Where struct selo_poly1305 has its parts. Columns 0 to 2 take the place of the sum's first words. */
#define H4 16
#define WRAPPED 20 /* s1, s2, s3 */
#define LOWER 32   /* the lower parts of s1, s2, s3, r0, r1, r2, r3 */
#define UPPER 46   /* the upper parts */

/* The stack: the next block, blocks left, the bit above a block, what is pushed. */
#define DATA 0
#define LEFT 4
#define TOP 8

/* r2, r3 = sums of products of the lower and of the upper halves of h0 to h2 by parts at \at. */
.macro three_products at, spare
    ldrh r3, [r0, #\at + 6]
    ldrh r1, [r0, #\at + 4]
    .ifnc \spare,r1
    ldrh \spare, [r0, #\at + 2]
    .endif
    mul r2, r3, l0
    mul r3, r3, u0
    mla r2, r1, l1, r2
    mla r3, r1, u1, r3
    .ifc \spare,r1
    ldrh r1, [r0, #\at + 2]
    .endif
    mla r2, \spare, l2, r2
    mla r3, \spare, u2, r3
    ldrh r1, [r0, #\at]
.endm

/* The same with h3. */
.macro four_products at, spare
    three_products \at, \spare
    mla r2, r1, l3, r2
    mla r3, r1, u3, r3
.endm

/* Adds \part 2^\place to the column; before that, the carry flag to its high word. */
.macro add_part part, place
    adc high, high, \part, lsr #(32 - \place)
    adds low, low, \part, lsl #\place
.endm

/* Column \k, less what comes from h4. */
.macro column k
    four_products LOWER + 2 * \k, high
    .if \k == 0
    mov low, r2
    lsr high, r3, #16
    .else
    lsr high, r3, #16
    adcs low, low, r2
    adc high, high, #0
    .endif
    adds low, low, r3, lsl #16
    .if \k < 3
    three_products UPPER + 2 * \k, r1
    add_part r2, 14
    mul r2, r1, l3
    add_part r3, 30
    mul r3, r1, u3
    .else
    four_products UPPER + 2 * \k, r1
    .endif
    add_part r2, 14
    add_part r3, 30
.endm

/* The carry of column \k, h4 s: low for the next one. */
.macro next_column k
    str low, [r0, #4 * \k]
    ldr r2, [r0, #WRAPPED + 4 * \k]
    ldr r3, [r0, #H4]
    mla low, r2, r3, high
.endm

kernel selo_poly1305_block
    mov r2, #1
    ldrb r3, [r1, #16]
    b.n 1f
entry selo_poly1305_blocks
    mov r3, #1
1:
    push {r1-r11, lr}
    ldm r0, {r8-r11, lr}
2:
    ldr r2, [sp, #TOP]
    ldr r1, [sp, #DATA]
    ldr l0, [r1]
    ldr l1, [r1, #4]
    ldr l2, [r1, #8]
    ldr l3, [r1, #12]
    add r1, r1, #16
    adds u0, u0, l0
    adcs u1, u1, l1
    adcs u2, u2, l2
    adcs u3, u3, l3
    adc lr, lr, r2
    str lr, [r0, #H4]
    str r1, [sp, #DATA]
    uxth l0, u0
    uxth l1, u1
    uxth l2, u2
    uxth l3, u3
    lsr u0, u0, #16
    lsr u1, u1, #16
    lsr u2, u2, #16
    lsr u3, u3, #16
    column 0
    next_column 0
    column 1
    next_column 1
    column 2
    next_column 2
    column 3
    /* h4 r0 */
    ldr r2, [r0, #H4]
    ldrh r3, [r0, #LOWER + 6]
    adc high, high, #0
    add r1, r3, r1, lsl #14
    mla lr, r2, r1, high
    /* 2^130 is 5 */
    ldm r0, {r8-r10}
    bic r3, lr, #3
    and lr, lr, #3
    add r3, r3, r3, lsr #2
    adds u0, u0, r3
    adcs u1, u1, #0
    adcs u2, u2, #0
    adcs u3, low, #0
    adc lr, lr, #0
    ldr r2, [sp, #LEFT]
    subs r2, r2, #1
    str r2, [sp, #LEFT]
    bne 2b
    stm r0, {r8-r11, lr}
    add sp, #12
    pop {r4-r11, pc}
kernel_end selo_poly1305_block

#endif
