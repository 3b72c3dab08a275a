/*
 * The transform of ML-KEM on ARM cores with 32-bit Thumb instructions, but without the DSP extension.
 *
 *   void selo_mlkem_ntt(int16_t poly[256]);
 *
 * [FIPS203, algorithm 9]. Coefficients up to q become up to 4.5 q. poly is aligned to 2 bytes.
 *
 * The arithmetic is that of mlkem_words.h and the order of mlkem_ntt_words.c, so the results are the
 * same numbers. A product takes MUL, a shift and MLA; the last shift is free, in the sum and the
 * difference. No instruction here stops early on Cortex-M3, as its long products do.
 *
 * Cost of selo_mlkem_ntt: 8,637 cycles on Cortex-M3 as modelled, 6,916 instructions, 44 bytes of
 * stack, 904 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_MLKEM && SELO_BACKEND_THUMB2 && !SELO_BACKEND_UMAAL

#include "mlkem.inc"

.macro butterfly low, high
    times spare, \high
    sub \high, \low, spare, asr #16
    add \low, \low, spare, asr #16
.endm

/* Three layers of eight coefficients that are \stride bytes apart. */
.macro three_layers stride
    load_eight \stride
    ldr factor, [factors]
    butterfly w0, w4
    butterfly w1, w5
    butterfly w2, w6
    butterfly w3, w7
    ldr factor, [factors, #4]
    butterfly w0, w2
    butterfly w1, w3
    ldr factor, [factors, #8]
    butterfly w4, w6
    butterfly w5, w7
    ldr factor, [factors, #12]
    butterfly w0, w1
    ldr factor, [factors, #16]
    butterfly w2, w3
    ldr factor, [factors, #20]
    butterfly w4, w5
    ldr factor, [factors, #24]
    butterfly w6, w7
    store_eight \stride
.endm

/* The stack: where the loops end, the inner one first. */
kernel selo_mlkem_ntt
    push {r4-r11, lr}
    ldr factors, =selo_mlkem_zeta_words
    load_constants
    add r2, poly, #64
    add r3, poly, #512
    push {r2, r3}
1:
    three_layers 64
    until 0, 1b
    sub poly, #64
2:
    add spare, poly, #8
    str spare, [sp]
    add factors, #28
3:
    three_layers 8
    until 0, 3b
    add poly, #56
    until 4, 2b

    add factors, #28
    sub poly, #512
4:
    load_eight 2
    ldr factor, [factors], #4
    butterfly w0, w2
    butterfly w1, w3
    ldr factor, [factors], #4
    butterfly w4, w6
    butterfly w5, w7
    store_eight 2
    add poly, #14
    until 4, 4b
    add sp, #8
    pop {r4-r11, pc}
    .ltorg
kernel_end selo_mlkem_ntt

#endif
