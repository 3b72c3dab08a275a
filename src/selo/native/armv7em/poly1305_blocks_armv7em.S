/*
 * Poly1305 on ARM cores with UMAAL.
 *
 *   void selo_poly1305_blocks(struct selo_poly1305 *mac, const uint8_t *data, size_t blocks);
 *   void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17]);
 *
 * For each block, sum = (sum + block) * multiplier modulo p = 2^130 - 5 [RFC8439, 2.5]. The first
 * function takes at least one block of 16 bytes, each of which is followed by a bit. The second
 * takes a number of 17 bytes, the last of which is 0 or 1. data has any alignment.
 *
 * The sum has five words h0 to h4, where h4 is at most 4, and the multiplier four, r0 to r3, whose
 * upper four bits are 0, as are the lower two of all but r0. 2^128 r is 5 r / 4 = r + r / 4 modulo p
 * for these three, so the products of one h stay in four words and a carry. UMAAL adds a word of the
 * sum and the carry to a product. Once r3 has met h0, only 2^128 r3 is needed, and takes its
 * place; then r2 and r1.
 *
 * All products but those of h4 are below 2^61. The five words t are below 2^159, so what comes back
 * from t4, 5 (t4 / 4), is below 2^32.
 *
 * Cost of selo_poly1305_block: 114 cycles on Cortex-M4 as modelled, 76 instructions, 52 bytes of
 * stack, 264 bytes of flash. Twelve blocks with their caller take 908 cycles (tests/arm/run.sh
 * --figures).
 */
#include "../api.h"

#if SELO_NATIVE_POLY1305 && SELO_BACKEND_UMAAL

#include "../arm/kernel.inc"

h0 .req r4
h1 .req r5
h2 .req r6
h3 .req r7
h4 .req r8
t0 .req r9
t1 .req r10
t2 .req r11
t3 .req r12
t4 .req lr

/* Where struct selo_poly1305 has the multiplier. */
#define MULTIPLIER 20

/* The stack: the state, the next block, the bit above it, blocks left, what is pushed. */
#define MAC 0
#define DATA 4
#define TOP 8
#define LEFT 12

/* t += h times the words x0 to x3. h0 has the carry. */
.macro row h, x0, x1, x2, x3
    mov h0, #0
    umaal t0, h0, \x0, \h
    umaal t1, h0, \x1, \h
    umaal t2, h0, \x2, \h
    umaal t3, h0, \x3, \h
    add t4, t4, h0
.endm

/* r = 2^128 r modulo p. */
.macro wrap r
    add \r, \r, \r, lsr #2
.endm

kernel selo_poly1305_block
    mov r2, #1
    ldrb r3, [r1, #16]
    b.n 1f
entry selo_poly1305_blocks
    mov r3, #1
1:
    push {r4-r11, lr}
    sub sp, #16
    str r0, [sp, #MAC]
    str r3, [sp, #TOP]
    ldm r0, {r4-r8}
2:
    str r2, [sp, #LEFT]
    ldr t0, [r1]
    ldr t1, [r1, #4]
    ldr t2, [r1, #8]
    ldr t3, [r1, #12]
    ldr t4, [sp, #TOP]
    add r1, r1, #16
    str r1, [sp, #DATA]
    ldr r0, [sp, #MAC]
    adds h0, h0, t0
    adcs h1, h1, t1
    adcs h2, h2, t2
    adcs h3, h3, t3
    adc h4, h4, t4
    ldr r1, [r0, #MULTIPLIER + 4]
    ldr r2, [r0, #MULTIPLIER + 8]
    ldr r3, [r0, #MULTIPLIER + 12]
    ldr r0, [r0, #MULTIPLIER]
    mov t2, #0
    mov t3, #0
    mov t4, #0
    umull t0, t1, r0, h0
    umaal t1, t2, r1, h0
    umaal t2, t3, r2, h0
    umaal t3, t4, r3, h0
    wrap r3
    row h1, r3, r0, r1, r2
    wrap r2
    row h2, r2, r3, r0, r1
    wrap r1
    row h3, r1, r2, r3, r0
    mov h0, #0
    umaal t1, h0, r1, h4
    umaal t2, h0, r2, h4
    umaal t3, h0, r3, h4
    add t4, t4, h0
    mla t4, r0, h4, t4
    /* 2^130 is 5 */
    and h4, t4, #3
    bic t4, t4, #3
    add t4, t4, t4, lsr #2
    adds h0, t0, t4
    adcs h1, t1, #0
    adcs h2, t2, #0
    adcs h3, t3, #0
    adc h4, h4, #0
    ldr r1, [sp, #DATA]
    ldr r2, [sp, #LEFT]
    subs r2, r2, #1
    bne.n 2b
    ldr r0, [sp, #MAC]
    stm r0, {r4-r8}
    add sp, #16
    pop {r4-r11, pc}
kernel_end selo_poly1305_block

#endif
