/*
 * The sampler of ML-KEM's matrix on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_mlkem_draw(struct selo_mlkem_drawn *drawn);
 *
 * Appends those of 16 numbers of 12 bits that are below q to the `filled` that are there, at most 3
 * [FIPS203, algorithm 7]. drawn has 20 halves of words, the last twelve of which are the 16 numbers, then
 * `filled`; it is aligned to 4 bytes.
 *
 * Each number is stored, and the place moves on if it stays. Eight numbers are in registers before the
 * first is stored; they go to at most 12 halves of words, all before the next eight. Numbers are
 * public. The time does not depend on them all the same.
 *
 * Cost of selo_mlkem_draw: 115 cycles on Cortex-M3 and 115 on Cortex-M4 as modelled, 102
 * instructions, 16 bytes of stack, 252 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_MLKEM && SELO_BACKEND_THUMB2

#include "../arm/kernel.inc"

low .req r2
middle .req r3
high .req r4
to .req r5
number .req r6
modulus .req r12

.macro keep
    strh number, [to]
    cmp number, modulus
    it lo
    addlo to, #2
.endm

.macro take word, at
    ubfx number, \word, #\at, #12
    keep
.endm

/* Eight numbers in three words. */
.macro take_eight
    take low, 0
    take low, 12
    lsr low, low, #24
    bfi low, middle, #8, #4
    mov number, low
    keep
    take middle, 4
    take middle, 16
    lsr middle, middle, #28
    bfi middle, high, #4, #8
    mov number, middle
    keep
    take high, 8
    lsr number, high, #20
    keep
.endm

kernel selo_mlkem_draw
    push {r4-r6, lr}
    ldr to, [r0, #40]
    add to, r0, to, lsl #1
    movw modulus, #3329
    ldr low, [r0, #16]
    ldr middle, [r0, #20]
    ldr high, [r0, #24]
    take_eight
    ldr low, [r0, #28]
    ldr middle, [r0, #32]
    ldr high, [r0, #36]
    take_eight
    sub to, to, r0
    lsr to, to, #1
    str to, [r0, #40]
    pop {r4-r6, pc}
kernel_end selo_mlkem_draw

#endif
