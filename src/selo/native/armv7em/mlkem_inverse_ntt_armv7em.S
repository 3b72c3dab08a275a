/*
 * The inverse transform of ML-KEM on ARM cores with packed halves of words (the DSP extension).
 *
 *   void selo_mlkem_inverse_ntt(int16_t poly[256]);
 *
 * [FIPS203, algorithm 10], and a multiplication by 2^16. Coefficients up to 3.3 q become up to 0.5 q.
 * poly is aligned to 4 bytes.
 *
 * The arithmetic is that of mlkem_words.h, the order and the bounds are those of
 * mlkem_inverse_ntt_words.c, so the results are the same numbers. mlkem_ntt_armv7em.S describes
 * the instructions [PLANTARDM4].
 *
 * Cost of selo_mlkem_inverse_ntt: 5,692 cycles on Cortex-M4 as modelled, 5,092 instructions, 40
 * bytes of stack, 1,744 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_MLKEM && SELO_BACKEND_UMAAL

#include "mlkem.inc"

.macro butterfly low, high
    usub16 spare, \high, \low
    uadd16 \low, \low, \high
    times \high, spare, \high
.endm

.macro multiply word
    times \word, \word, spare
.endm

/* The first two of three layers of eight words. The factors end at factors + \at. */
.macro two_layers at
    ldr factor, [factors, #\at - 4]
    butterfly w0, w1
    ldr factor, [factors, #\at - 8]
    butterfly w2, w3
    ldr factor, [factors, #\at - 12]
    butterfly w4, w5
    ldr factor, [factors, #\at - 16]
    butterfly w6, w7
    ldr factor, [factors, #\at - 20]
    butterfly w0, w2
    butterfly w1, w3
    ldr factor, [factors, #\at - 24]
    butterfly w4, w6
    butterfly w5, w7
.endm

.macro third_layer
    butterfly w0, w4
    butterfly w1, w5
    butterfly w2, w6
    butterfly w3, w7
.endm

.macro store_eight stride
    str w1, [poly, #\stride]
    str w2, [poly, #2 * \stride]
    str w3, [poly, #3 * \stride]
    str w4, [poly, #4 * \stride]
    str w5, [poly, #5 * \stride]
    str w6, [poly, #6 * \stride]
    str w7, [poly, #7 * \stride]
    str w0, [poly], #4
.endm

/* A group's half: words 8 bytes apart. */
.macro half_group
    load_eight 8
    two_layers 0
    ldr factor, [factors, #-28]
    third_layer
    ldr factor, =1290167        /* that of 1 */
    multiply w0
    multiply w1
    store_eight 8
.endm

kernel selo_mlkem_inverse_ntt
    push {r4-r11, lr}
    ldr factors, =selo_mlkem_zeta_words + 4 * 127
    load_constants
    add spare, poly, #512
    push {spare}
1:
    load_eight 4
    ldr factor, [factors, #-4]
    butterfly w0, w1
    ldr factor, [factors, #-8]
    butterfly w2, w3
    ldr factor, [factors, #-12]
    butterfly w4, w5
    ldr factor, [factors, #-16]
    butterfly w6, w7
    ldr factor, =1290167
    multiply w0
    multiply w2
    multiply w4
    multiply w6
    stm poly!, {w0-w7}
    sub factors, #16
    ldr spare, [sp]
    cmp poly, spare
    bne 1b

    sub poly, #512
2:
    half_group
    half_group
    add poly, #56
    sub factors, #28
    ldr spare, [sp]
    cmp poly, spare
    bne 2b

    sub poly, #512
    add spare, poly, #64
    str spare, [sp]
3:
    load_eight 64
    two_layers 0
    ldr factor, =3951782766     /* that of the last factor times 2^16 / 128 */
    third_layer
    ldr factor, =660565712      /* that of 2^16 / 128 */
    multiply w0
    multiply w1
    multiply w2
    multiply w3
    store_eight 64
    ldr spare, [sp]
    cmp poly, spare
    bne 3b
    add sp, #4
    pop {r4-r11, pc}
    .ltorg
kernel_end selo_mlkem_inverse_ntt

#endif
