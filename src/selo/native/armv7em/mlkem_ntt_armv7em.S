/*
 * The transform of ML-KEM on ARM cores with packed halves of words (the DSP extension).
 *
 *   void selo_mlkem_ntt(int16_t poly[256]);
 *
 * [FIPS203, algorithm 9]. Coefficients up to q become up to 4.5 q. poly is aligned to 4 bytes.
 *
 * The arithmetic is that of mlkem_words.h and the order of mlkem_ntt_words.c, so the results are the
 * same numbers. SMULWB and SMULWT give bits 16 to 47 of the product of a factor and a coefficient;
 * the lower half of that is what times q is needed of. So a product of two coefficients takes five
 * instructions, and a butterfly of two seven [PLANTARDM4]. Eight words go through three layers at
 * a time; the last layer takes neighbours.
 *
 * Cost of selo_mlkem_ntt: 4,797 cycles on Cortex-M4 as modelled, 4,245 instructions, 40 bytes of
 * stack, 1,480 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_MLKEM && SELO_BACKEND_UMAAL

#include "mlkem.inc"

.macro butterfly low, high
    times spare, \high, spare
    usub16 \high, \low, spare
    uadd16 \low, \low, spare
.endm

.macro next_factor
    ldr factor, [factors], #4
.endm

/* Three layers of eight words that are \stride bytes apart. The factors begin at factors + \at. */
.macro three_layers stride, at
    load_eight \stride
    ldr factor, [factors, #\at]
    butterfly w0, w4
    butterfly w1, w5
    butterfly w2, w6
    butterfly w3, w7
    ldr factor, [factors, #\at + 4]
    butterfly w0, w2
    butterfly w1, w3
    ldr factor, [factors, #\at + 8]
    butterfly w4, w6
    butterfly w5, w7
    ldr factor, [factors, #\at + 12]
    butterfly w0, w1
    ldr factor, [factors, #\at + 16]
    butterfly w2, w3
    ldr factor, [factors, #\at + 20]
    butterfly w4, w5
    ldr factor, [factors, #\at + 24]
    butterfly w6, w7
    str w1, [poly, #\stride]
    str w2, [poly, #2 * \stride]
    str w3, [poly, #3 * \stride]
    str w4, [poly, #4 * \stride]
    str w5, [poly, #5 * \stride]
    str w6, [poly, #6 * \stride]
    str w7, [poly, #7 * \stride]
    str w0, [poly], #4
.endm

kernel selo_mlkem_ntt
    push {r4-r11, lr}
    ldr factors, =selo_mlkem_zeta_words
    load_constants
    add spare, poly, #64
    push {spare}
1:
    three_layers 64, 0
    ldr spare, [sp]
    cmp poly, spare
    bne 1b

    sub poly, #64
    add spare, poly, #512
    str spare, [sp]
2:
    three_layers 8, 28
    three_layers 8, 28
    add poly, #56
    add factors, #28
    ldr spare, [sp]
    cmp poly, spare
    bne 2b

    sub poly, #512
    add factors, #28
3:
    load_eight 4
    ldr factor, [factors]
    butterfly w0, w1
    ldr factor, [factors, #4]
    butterfly w2, w3
    ldr factor, [factors, #8]
    butterfly w4, w5
    ldr factor, [factors, #12]
    butterfly w6, w7
    stm poly!, {w0-w7}
    add factors, #16
    ldr spare, [sp]
    cmp poly, spare
    bne 3b
    add sp, #4
    pop {r4-r11, pc}
    .ltorg
kernel_end selo_mlkem_ntt

#endif
