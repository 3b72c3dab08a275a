/*
 * Products of two transformed polynomials of ML-KEM on ARM cores with packed halves of words (the
 * DSP extension).
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
 * Cost of selo_mlkem_multiply_quads: 3,041 cycles on Cortex-M4 as modelled for 64 quads, 2,636
 * instructions, 40 bytes of stack, 204 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_MLKEM && SELO_BACKEND_UMAAL

#include "../arm/kernel.inc"

sum .req r0
a .req r1
packed .req r2
factors .req r3
moduli .req r4      /* q in the lower half, -1 / q modulo 2^16 in the upper */
eight .req r5       /* 8 q */
pair .req r6        /* of b */
high .req r7        /* the last four of a quad's six bytes of b */
even .req r8
odd .req r9
pair_a .req r10
turned .req r11
factor .req r12
spare .req lr

/* The upper half of \to = \to / 2^16 modulo q. */
.macro reduce to
    smulbt spare, \to, moduli
    smlabb \to, spare, moduli, \to
.endm

/* odd = pair_a times pair; \second for the other sign of the factor. */
.macro multiply_pair second
    smulwt turned, factor, pair
    smlabb turned, turned, moduli, eight
    smulbb even, pair_a, pair
    .if \second
    smultt turned, pair_a, turned
    sub even, even, turned
    .else
    smlatt even, pair_a, turned, even
    .endif
    reduce even
    smuadx odd, pair_a, pair
    reduce odd
    pkhtb odd, odd, even, asr #16
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
    ldr moduli, =3327 << 16 | 3329
    movw eight, #8 * 3329
1:
    ldr factor, [factors], #4
    ldr pair, [packed], #2
    ldr high, [packed], #4
    ldr pair_a, [a], #4
    ubfx odd, pair, #12, #12
    ubfx pair, pair, #0, #12
    pkhbt pair, pair, odd, lsl #16
    multiply_pair 0
    ldr pair_a, [a], #4
    ldr turned, [sum]
    uadd16 turned, turned, odd
    str turned, [sum], #4
    lsr odd, high, #20
    ubfx pair, high, #8, #12
    pkhbt pair, pair, odd, lsl #16
    multiply_pair 1
    ldr turned, [sum]
    uadd16 turned, turned, odd
    str turned, [sum], #4
    ldr spare, [sp]
    cmp factors, spare
    bne 1b
    add sp, #4
2:
    pop {r4-r11, pc}
    .ltorg
kernel_end selo_mlkem_multiply_quads

#endif
