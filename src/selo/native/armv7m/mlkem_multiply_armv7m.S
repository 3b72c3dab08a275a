/*
 * Products of two transformed polynomials of ML-KEM on ARM cores with 32-bit Thumb instructions, but
 * without the DSP extension.
 *
 *   void selo_mlkem_multiply_quads(int16_t *sum, const int16_t *a, const uint8_t *b, uint32_t quads);
 *
 * sum += a b / 2^16 [FIPS203, algorithms 11 and 12] in quads / 256 times four coefficients, from quad
 * number quads modulo 256 on. Coefficients of a are up to 4.5 q; b is packed, 12 bits each. sum and a
 * are aligned to 2 bytes, b to 1: words are loaded from any address.
 *
 * The two products of a pair that are added never leave a word of 32 bits, and are reduced
 * together [MONTGOMERYM4]: mlkem_multiply_words.c has the bounds, and the same results. The factor of
 * a quad is that of the transform's last layer; its second pair has the other sign.
 *
 * Cost of selo_mlkem_multiply_quads: 4,895 cycles on Cortex-M3 as modelled for 64 quads, 3,915
 * instructions, 40 bytes of stack, 276 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_MLKEM && SELO_BACKEND_THUMB2 && !SELO_BACKEND_UMAAL

#include "../arm/kernel.inc"

sum .req r0
a .req r1
packed .req r2
factors .req r3
modulus .req r4
y0 .req r5
y1 .req r6
high .req r7        /* the last four of a quad's six bytes of b */
even .req r8
odd .req r9
x0 .req r10
x1 .req r11
factor .req r12
spare .req lr

/* The upper half of \to = \to / 2^16 modulo q. 3327 is -1 / q modulo 2^16. */
.macro reduce to
    movw spare, #3327
    mul spare, \to, spare
    sxth spare, spare
    mla \to, spare, modulus, \to
.endm

/* Adds a product of pairs to the sum; \second for the other sign of the factor. */
.macro multiply_pair second
    mul odd, y1, factor
    asr odd, odd, #16
    add odd, odd, #8
    mul odd, odd, modulus
    asr odd, odd, #16                   /* y1 times the factor modulo q */
    mul even, x0, y0
    .if \second
    mls even, x1, odd, even
    .else
    mla even, x1, odd, even
    .endif
    reduce even
    mul odd, x0, y1
    mla odd, x1, y0, odd
    reduce odd
    ldrsh y0, [sum]
    ldrsh y1, [sum, #2]
    add y0, y0, even, asr #16
    add y1, y1, odd, asr #16
    strh y1, [sum, #2]
    strh y0, [sum], #4
.endm

/* The stack: the end of the factors, what is pushed. */
kernel selo_mlkem_multiply_quads
    push {r4-r11, lr}
    uxtb r12, r3
    lsrs r4, r3, #8
    beq 2f
    ldr factors, =selo_mlkem_zeta_words + 4 * 63
    add factors, factors, r12, lsl #2
    add spare, factors, r4, lsl #2
    push {spare}
    movw modulus, #3329
1:
    ldr factor, [factors], #4
    ldr y1, [packed], #2
    ldr high, [packed], #4
    ldrsh x0, [a]
    ldrsh x1, [a, #2]
    ubfx y0, y1, #0, #12
    ubfx y1, y1, #12, #12
    multiply_pair 0
    ldrsh x0, [a, #4]
    ldrsh x1, [a, #6]
    ubfx y0, high, #8, #12
    lsr y1, high, #20
    add a, #8
    multiply_pair 1
    ldr spare, [sp]
    cmp factors, spare
    bne 1b
    add sp, #4
2:
    pop {r4-r11, pc}
    .ltorg
kernel_end selo_mlkem_multiply_quads

#endif
