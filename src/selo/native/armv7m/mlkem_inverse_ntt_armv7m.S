/*
 * The inverse transform of ML-KEM on ARM cores with 32-bit Thumb instructions, but without the DSP
 * extension.
 *
 *   void selo_mlkem_inverse_ntt(int16_t poly[256]);
 *
 * [FIPS203, algorithm 10], and a multiplication by 2^16. Coefficients up to 3.3 q become up to 0.5 q.
 * poly is aligned to 2 bytes.
 *
 * The arithmetic is that of mlkem_words.h, the order and the bounds are those of
 * mlkem_inverse_ntt_words.c, so the results are the same numbers. mlkem_ntt_armv7m.S describes the
 * instructions.
 *
 * Cost of selo_mlkem_inverse_ntt: 11,325 cycles on Cortex-M3 as modelled, 9,188 instructions, 44
 * bytes of stack, 1,144 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_MLKEM && SELO_BACKEND_THUMB2 && !SELO_BACKEND_UMAAL

#include "mlkem.inc"

.macro butterfly low, high
    sub spare, \high, \low
    add \low, \low, \high
    times \high, spare
    asr \high, \high, #16
.endm

.macro multiply word
    times \word, \word
    asr \word, \word, #16
.endm

/* The first two of three layers of eight coefficients. */
.macro two_layers
    ldr factor, [factors, #-4]
    butterfly w0, w1
    ldr factor, [factors, #-8]
    butterfly w2, w3
    ldr factor, [factors, #-12]
    butterfly w4, w5
    ldr factor, [factors, #-16]
    butterfly w6, w7
    ldr factor, [factors, #-20]
    butterfly w0, w2
    butterfly w1, w3
    ldr factor, [factors, #-24]
    butterfly w4, w6
    butterfly w5, w7
.endm

.macro third_layer
    butterfly w0, w4
    butterfly w1, w5
    butterfly w2, w6
    butterfly w3, w7
.endm

/* The stack: where the loops end, the inner one first. */
kernel selo_mlkem_inverse_ntt
    push {r4-r11, lr}
    ldr factors, =selo_mlkem_zeta_words + 4 * 127
    load_constants
    add r3, poly, #512
    push {r2, r3}
1:
    load_eight 2
    ldr factor, [factors, #-4]!
    butterfly w0, w2
    butterfly w1, w3
    ldr factor, [factors, #-4]!
    butterfly w4, w6
    butterfly w5, w7
    ldr factor, =1290167        /* that of 1 */
    multiply w0
    multiply w1
    multiply w4
    multiply w5
    store_eight 2
    add poly, #14
    until 4, 1b

    sub poly, #512
2:
    add spare, poly, #8
    str spare, [sp]
3:
    load_eight 8
    two_layers
    ldr factor, [factors, #-28]
    third_layer
    ldr factor, =1290167
    multiply w0
    multiply w1
    store_eight 8
    until 0, 3b
    add poly, #56
    sub factors, #28
    until 4, 2b

    sub poly, #512
    add spare, poly, #64
    str spare, [sp]
4:
    load_eight 64
    two_layers
    ldr factor, =3951782766     /* that of the last factor times 2^16 / 128 */
    third_layer
    ldr factor, =660565712      /* that of 2^16 / 128 */
    multiply w0
    multiply w1
    multiply w2
    multiply w3
    store_eight 64
    until 0, 4b
    add sp, #8
    pop {r4-r11, pc}
    .ltorg
kernel_end selo_mlkem_inverse_ntt

#endif
