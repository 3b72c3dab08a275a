/*
 * Field multiplication for P-256 on AVR with a hardware multiplier.
 *
 *   void selo_p256_multiply_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a b 2^-256 modulo p = 2^256 - 2^224 + 2^192 + 2^96 - 1, any a and b, r < 2^256. r may be a or b.
 *
 * Cost of selo_p256_multiply_avr: 5,789 cycles, 157 bytes of stack.
 * Cost of selo_p256_multiply_avr, small: 5,831 cycles, 159 bytes of stack.
 * Cost of selo_p256_square_avr, small: 5,834 cycles, 159 bytes of stack.
 *
 * The product is that of x25519_multiply_16.inc [HUTTER2014]. Its upper level is merged with Montgomery's
 * reduction [MONTGOMERY1985]. No branch, no address and no cycle depends on a or b. Registers
 * follow the C ABI [AVRGCC]. The stack is not wiped here: the callers of selo_p256_wipe_scratch do
 * that once.
 *
 * Proved by tests/avr/p256.sh (every figure above too) and by the official vectors
 * (selo lab check --board uno --algorithm ecdh-p-256).
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_P256

#define MULTIPLY_16 selo_p256_multiply_16
#define PRODUCT_SMALL SELO_P256_SMALL

    .section .text.selo_p256_multiply_avr, "ax", @progbits

#include "x25519_multiply_16.inc"

#if SELO_P256_SMALL
/* Squaring is multiplication. */
entry selo_p256_square_avr
    movw r20, r22
    rjmp selo_p256_multiply_avr
kernel_end selo_p256_square_avr
#endif

entry selo_p256_multiply_avr
    multiply_32 selo_p256_reduce
kernel_end selo_p256_multiply_avr

/*
 * Y: L (32 bytes), H (32), M (32), the mask, high and low byte of the address r: what both multiplication
 * and squaring have on the stack. With K = 2^128 the product is T = L + (L + H -+ M) K + H K^2, and
 * r = T 2^-256 modulo p. Uses all registers but Y, and overwrites M.
 *
 * T is 16 words of 32 bits, t0 to t15. Two steps each make four words 0, by adding m p, where
 * m = (m0, m1, m2, m3) and p is -1 modulo 2^96:
 *
 *   m0 = t0, m1 = t1, m2 = t2, m3 = t3 + t0 modulo 2^32
 *
 * The sum of the four words is then the carry of t3 + t0, at t4, and what is left of m p is
 *
 *   t4 + m1            t6 + m3 + m0       t8 + m2 - m1 + m0      t10 + m2 - m3
 *   t5 + m2            t7 + m1 - m0       t9 + m3 - m2 + m1      t11 + m3
 *
 * The second step is the same, four words above.
 */
    .set M0, 2              /* r2-r17: m */
    .set M1, 6
    .set M2, 10
    .set M3, 14
    .set T, 18              /* r18-r21: a word of T */
    .set CARRY, 22          /* of either sign, for the next word */
    .set ZERO, 23
    .set MASK, 24           /* 0xff: M is subtracted */
    .set LATER, 25          /* the carry of the first step, for t12 */

    /* T = the word at \pointer + \offset and the carry. Uses \sign. */
    .macro word_first pointer, offset, sign=27
        ldd T, \pointer + (\offset)
        ldd T + 1, \pointer + (\offset + 1)
        ldd T + 2, \pointer + (\offset + 2)
        ldd T + 3, \pointer + (\offset + 3)
        mov \sign, CARRY
        lsl \sign
        sbc \sign, \sign
        add T, CARRY
        adc T + 1, \sign
        adc T + 2, \sign
        adc T + 3, \sign
        adc \sign, ZERO
        mov CARRY, \sign
    .endm
    /* T += the word at \pointer + \offset */
    .macro word_load pointer, offset
        ldd r0, \pointer + (\offset)
        add T, r0
        ldd r0, \pointer + (\offset + 1)
        adc T + 1, r0
        ldd r0, \pointer + (\offset + 2)
        adc T + 2, r0
        ldd r0, \pointer + (\offset + 3)
        adc T + 3, r0
        adc CARRY, ZERO
    .endm
    /* T += the word of M at Z + \offset, or its complement */
    .macro word_of_m offset
        ldd r0, Z + (\offset)
        eor r0, MASK
        add T, r0
        ldd r0, Z + (\offset + 1)
        eor r0, MASK
        adc T + 1, r0
        ldd r0, Z + (\offset + 2)
        eor r0, MASK
        adc T + 2, r0
        ldd r0, Z + (\offset + 3)
        eor r0, MASK
        adc T + 3, r0
        adc CARRY, ZERO
    .endm
    .macro word_add m
        add T, \m
        adc T + 1, \m + 1
        adc T + 2, \m + 2
        adc T + 3, \m + 3
        adc CARRY, ZERO
    .endm
    .macro word_sub m
        sub T, \m
        sbc T + 1, \m + 1
        sbc T + 2, \m + 2
        sbc T + 3, \m + 3
        sbc CARRY, ZERO
    .endm
    .macro word_store offset
        std Z + (\offset), T
        std Z + (\offset + 1), T + 1
        std Z + (\offset + 2), T + 2
        std Z + (\offset + 3), T + 3
    .endm
    .macro word_out
        st X+, T
        st X+, T + 1
        st X+, T + 2
        st X+, T + 3
    .endm
    /* The words of M that word K of a step's low half takes */
    .macro word_add_low
        .if K == 0
            word_add M1
        .elseif K == 4
            word_add M2
        .elseif K == 8
            word_add M3
            word_add M0
        .else
            word_add M1
            word_sub M0
        .endif
    .endm
    /* m3 += m0, carry to CARRY, which was 0 or 1 */
    .macro complete_m
        add M3, M0
        adc M3 + 1, M0 + 1
        adc M3 + 2, M0 + 2
        adc M3 + 3, M0 + 3
        adc CARRY, ZERO
    .endm

entry selo_p256_reduce
    movw ZL, YL
    subi ZL, lo8(-64)
    sbci ZH, hi8(-64)
    clr ZERO
    ldd MASK, Z + 32
    mov CARRY, MASK         /* -M is its complement and 1, at t4, */
    neg CARRY
    load M0, 16, Y, 0
    complete_m

    /* The first step: t4 to t7 to the low half of M, t8 to t11 to the high half */
    .set K, 0
    .rept 4
        word_first Y, 16 + K            /* L1 */
        word_load Y, K                  /* L0 */
        word_load Y, 32 + K             /* H0 */
        word_of_m K
        word_add_low
        word_store K
        .set K, K + 4
    .endr
    .set K, 0
    .rept 4
        word_first Y, 16 + K            /* L1 */
        word_load Y, 32 + K             /* H0 */
        word_load Y, 48 + K             /* H1 */
        word_of_m 16 + K
        .if K == 0
            word_add M2
            word_sub M1
            word_add M0
        .elseif K == 4
            word_add M3
            word_sub M2
            word_add M1
        .elseif K == 8
            word_add M2
            word_sub M3
        .else
            word_add M3
        .endif
        word_store 16 + K
        .set K, K + 4
    .endr
    mov LATER, CARRY
    add LATER, MASK         /* less 2^256, at t12 */

    /* The second step: t8 to t11 to r, t12 to t15 to r2-r17, as m0 to m3 are needed no more */
    ldd XH, Z + 33
    ldd XL, Z + 34
    push XL
    push XH
    load M0, 16, Z, 0
    clr CARRY
    complete_m
    .set K, 0
    .rept 4
        word_first Z, 16 + K, 24
        word_add_low
        word_out
        .set K, K + 4
    .endr
    add CARRY, LATER
    word_first Y, 48, 24
    word_add M2
    word_sub M1
    word_add M0
    movw M0, T
    movw M0 + 2, T + 2
    word_first Y, 52, 24
    word_add M3
    word_sub M2
    word_add M1
    movw M1, T
    movw M1 + 2, T + 2
    word_first Y, 56, 24
    word_add M2
    word_sub M3
    movw M2, T
    movw M2 + 2, T + 2
    word_first Y, 60, 24
    word_add M3
    movw M3, T
    movw M3 + 2, T + 2

    /* CARRY is 0 or 1. r -= CARRY p */
    pop XH
    pop XL
    mov MASK, CARRY
    neg MASK
    .set I, 0
    .rept 16
        ld r0, X
        .if I == 0
            sub r0, MASK
        .elseif I < 12
            sbc r0, MASK
        .else
            sbc r0, ZERO
        .endif
        st X+, r0
        .set I, I + 1
    .endr
    .rept 16
        .if I < 24
            sbc M0 + I - 16, ZERO
        .elseif I == 24
            sbc M0 + I - 16, CARRY
        .elseif I < 28
            sbc M0 + I - 16, ZERO
        .else
            sbc M0 + I - 16, MASK
        .endif
        st X+, M0 + I - 16
        .set I, I + 1
    .endr
    ret
kernel_end selo_p256_reduce

#endif
