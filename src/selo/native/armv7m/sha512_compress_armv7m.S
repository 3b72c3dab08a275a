/*
 * The compression function of SHA-512 on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_sha512_compress(uint64_t state[8], uint64_t block[16]);
 *
 * state = the next hash value [FIPS180-4, 6.4.2]. block has the bytes of the message, and is
 * destroyed: it becomes the message schedule.
 *
 * The working variables are on the stack and change names instead of places, so eight rounds are
 * unrolled; a, e and a + b are in registers too. Sigma(x) is x + (x by d) + (x by d'), rotated; this
 * last rotation is two additions with shifts, because its halves have no bit in common. Maj(a, b, c)
 * is b + ((a + b) and (b + c)), and a + b is the next round's b + c. The schedule is a loop of its
 * own, whose last two results stay in registers.
 *
 * Cost of selo_sha512_compress: 8,238 cycles on Cortex-M3 and 8,238 cycles on Cortex-M4 as modelled,
 * 7,691 instructions, 116 bytes of stack, 2,844 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_SHA512 && SELO_BACKEND_THUMB2

#include "../arm/kernel.inc"

/* The stack: a to h, where they are before round 0; the next round's constants; what is pushed: the
 * state, the block, and the registers. */
#define CONSTANT 64
#define FRAME 72
#define STATE FRAME
#define BLOCK (FRAME + 4)

/* sum += Sigma of x: x rotated by r, r + by1 and r + by2, where r is below 32. Uses t and th. */
.macro add_sigma low, high, x, xh, by1, by2, r, t, th
    eor \t, \x, \x, lsr #\by1
    eor \th, \xh, \xh, lsr #\by1
    eor \t, \t, \xh, lsl #(32 - \by1)
    eor \th, \th, \x, lsl #(32 - \by1)
    eor \t, \t, \x, lsr #\by2
    eor \th, \th, \xh, lsr #\by2
    eor \t, \t, \xh, lsl #(32 - \by2)
    eor \th, \th, \x, lsl #(32 - \by2)
    adds \low, \low, \t, lsr #\r
    adc \high, \high, \th, lsr #\r
    adds \low, \low, \th, lsl #(32 - \r)
    adc \high, \high, \t, lsl #(32 - \r)
.endm

/* Variable \index of a to h in round \t. */
.macro load_variable low, high, t, index
    ldr \low, [sp, #8 * ((\index + 8 - (\t)) % 8)]
    ldr \high, [sp, #8 * ((\index + 8 - (\t)) % 8) + 4]
.endm

.macro store_variable low, high, t, index
    str \low, [sp, #8 * ((\index + 8 - (\t)) % 8)]
    str \high, [sp, #8 * ((\index + 8 - (\t)) % 8) + 4]
.endm

/* Round t modulo 8 [FIPS180-4, 6.4.2]. lr is the message schedule, r12 the constants, r2 and r3 are
 * e. The next round's a is in sum and its b + c in next. */
.macro round t, a, ah, sum, sumh, before, beforeh, next, nexth
    load_variable \sum, \sumh, \t, 7
    ldr r8, [lr, #8 * (\t)]
    ldr r9, [lr, #8 * (\t) + 4]
    ldr \next, [r12, #8 * (\t)]
    ldr \nexth, [r12, #8 * (\t) + 4]
    adds \sum, \sum, r8
    adc \sumh, \sumh, r9
    adds \sum, \sum, \next
    adc \sumh, \sumh, \nexth
    load_variable r8, r9, \t, 5           /* Ch */
    load_variable \next, \nexth, \t, 6
    eor r8, r8, \next
    eor r9, r9, \nexth
    and r8, r8, r2
    and r9, r9, r3
    eor r8, r8, \next
    eor r9, r9, \nexth
    adds \sum, \sum, r8
    adc \sumh, \sumh, r9
    add_sigma \sum, \sumh, r2, r3, 4, 27, 14, r8, r9
    load_variable r2, r3, \t, 3
    load_variable r8, r9, \t, 1           /* Maj */
    adds r2, r2, \sum
    adc r3, r3, \sumh
    store_variable r2, r3, \t, 3
    eor \next, \a, r8
    eor \nexth, \ah, r9
    and \before, \before, \next
    and \beforeh, \beforeh, \nexth
    eor \before, \before, r8
    eor \beforeh, \beforeh, r9
    adds \sum, \sum, \before
    adc \sumh, \sumh, \beforeh
    add_sigma \sum, \sumh, \a, \ah, 6, 11, 28, r8, r9
    store_variable \sum, \sumh, \t, 7
.endm

.macro two_rounds t
    round \t, r0, r1, r6, r7, r4, r5, r10, r11
    round \t + 1, r6, r7, r0, r1, r10, r11, r4, r5
.endm

/* w: word t + 16 of the schedule in the place of word t, at \at from lr. past is word t + 14, nine
 * and its offset have word t + 9, and word t + 1 is loaded from next. Uses r10 and r11. */
.macro schedule w, wh, past, pasth, more, moreh, at, next, next_at, nine, nine_at
    lsr r10, \past, #19
    lsr r11, \pasth, #19
    eor r10, r10, \pasth, lsl #13
    eor r11, r11, \past, lsl #13
    eor r10, r10, \past, lsl #3
    eor r11, r11, \pasth, lsl #3
    eor r10, r10, \pasth, lsr #29
    eor r11, r11, \past, lsr #29
    eor r10, r10, \past, lsr #6
    eor r11, r11, \pasth, lsr #6
    eor r10, r10, \pasth, lsl #26
    adds \w, \w, r10
    adc \wh, \wh, r11
    ldr \more, [\next, #\next_at]
    ldr \moreh, [\next, #\next_at + 4]
    ldr r10, [\nine, #\nine_at]
    ldr r11, [\nine, #\nine_at + 4]
    adds \w, \w, r10
    adc \wh, \wh, r11
    lsr r10, \more, #1
    lsr r11, \moreh, #1
    eor r10, r10, \moreh, lsl #31
    eor r11, r11, \more, lsl #31
    eor r10, r10, \more, lsr #8
    eor r11, r11, \moreh, lsr #8
    eor r10, r10, \moreh, lsl #24
    eor r11, r11, \more, lsl #24
    eor r10, r10, \more, lsr #7
    eor r11, r11, \moreh, lsr #7
    eor r10, r10, \moreh, lsl #25
    adds \w, \w, r10
    adc \wh, \wh, r11
    str \w, [lr, #\at]
    str \wh, [lr, #\at + 4]
.endm

kernel selo_sha512_compress
    push {r0, r1, r4-r11, lr}
    sub sp, #FRAME
    mov r12, r1
    .rept 8                     /* words from big-endian bytes */
    ldm r12, {r2-r5}
    rev r6, r3
    rev r7, r2
    rev r8, r5
    rev r9, r4
    stm r12!, {r6-r9}
    .endr
    mov r12, sp
    ldm r0!, {r2-r9}
    stm r12!, {r2-r9}
    ldm r0, {r2-r9}
    stm r12, {r2-r9}
    ldr r12, =selo_sha512_constants
1:  /* 16 rounds */
    ldr r0, [sp]
    ldr r1, [sp, #4]
    ldr r4, [sp, #8]
    ldr r5, [sp, #12]
    ldr r6, [sp, #16]
    ldr r7, [sp, #20]
    ldr r2, [sp, #32]
    ldr r3, [sp, #36]
    ldr lr, [sp, #BLOCK]
    eor r4, r4, r6
    eor r5, r5, r7
2:
    two_rounds 0
    two_rounds 2
    two_rounds 4
    two_rounds 6
    ldr r8, [sp, #BLOCK]
    add r12, r12, #64
    add lr, lr, #64
    add r8, r8, #128
    cmp lr, r8
    bne.w 2b
    ldr r8, =selo_sha512_constants + 640
    cmp r12, r8
    beq.w 4f

    str r12, [sp, #CONSTANT]
    ldr r0, [sp, #BLOCK]
    mov r1, #0                  /* 8 t */
    ldr r2, [r0]
    ldr r3, [r0, #4]
    ldr r6, [r0, #112]
    ldr r7, [r0, #116]
    ldr r8, [r0, #120]
    ldr r9, [r0, #124]
    add r12, r0, #64
3:
    add lr, r0, r1
    schedule r2, r3, r6, r7, r4, r5, 0, lr, 8, r12, 8
    schedule r4, r5, r8, r9, r6, r7, 8, lr, 16, r12, 16
    schedule r6, r7, r2, r3, r8, r9, 16, lr, 24, r12, 24
    add r1, r1, #32
    and r1, r1, #127
    eor r12, r1, #64
    add r12, r12, r0
    add r3, r0, r1
    schedule r8, r9, r4, r5, r2, r3, 24, r3, 0, r12, 0
    cmp r1, #0
    bne.w 3b
    ldr r12, [sp, #CONSTANT]
    b.w 1b

4:
    ldr r0, [sp, #STATE]
    mov r12, sp
    .rept 4
    ldm r12!, {r1-r4}
    ldm r0, {r5-r8}
    adds r5, r5, r1
    adc r6, r6, r2
    adds r7, r7, r3
    adc r8, r8, r4
    stm r0!, {r5-r8}
    .endr
    add sp, #FRAME + 8
    pop {r4-r11, pc}
    .ltorg
kernel_end selo_sha512_compress

#endif
