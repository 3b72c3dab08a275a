/*
 * Field multiplication for X25519 on AVR with a hardware multiplier.
 *
 *   void selo_field25519_multiply_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a b modulo 2^255 - 19, any a and b, r < 2^255 + 2^136. r may be a or b.
 *
 * Cost of selo_field25519_multiply_avr: 5,484 cycles, 157 bytes of stack.
 * Cost of selo_field25519_multiply_avr, small: 5,578 cycles, 159 bytes of stack.
 * Cost of selo_field25519_square_avr, small: 5,581 cycles, 159 bytes of stack.
 *
 * The product is that of x25519_multiply_16.inc [HUTTER2014]. The reduction merged with the upper level is
 * our own. No branch, no address and no cycle depends on a or b. Registers follow the C ABI [AVRGCC].
 * The stack is not wiped here: x25519_ladder.c does that once.
 *
 * Proved by tests/avr/field.sh (every figure above too) and by the official vectors
 * (selo lab check --board uno --algorithm x25519).
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_X25519

#define MULTIPLY_16 selo_x25519_multiply_16
#define PRODUCT_SMALL SELO_X25519_SMALL

    .section .text.selo_field25519_multiply_avr, "ax", @progbits

#include "x25519_multiply_16.inc"

#if SELO_X25519_SMALL
/* Squaring is multiplication. */
entry selo_field25519_square_avr
    movw r20, r22
    rjmp selo_field25519_multiply_avr
kernel_end selo_field25519_square_avr
#endif

entry selo_field25519_multiply_avr
    multiply_32 selo_x25519_reduce
kernel_end selo_field25519_multiply_avr

/*
 * Y: L (32 bytes), H (32), M (32), the mask, high and low byte of the address r: what
 * both multiplication and squaring have on the stack. r = L + (L + H -+ M) K + H K^2
 * modulo 2^255 - 19, where K = 2^128 and K^2 = 38. Uses all registers but Y.
 *
 *   high half of r:  L1 + (L0 + H0 -+ M0) + 38 H1
 *   low half of r:   L0 + 38 V,  V = H0 + (L1 + H1 -+ M1) + what the high half carries
 */
    .set HIGH, 2            /* r2-r17: the high half */
    .set ZERO, 18
    .set C38, 19
    .set CARRY, 20          /* of the low half */
    .set COUNT, 21          /* of K^2 */

    /* HIGH += the 16 bytes at \pointer + \offset, carry to COUNT */
    .macro add_to_high pointer, offset
        .set I, 0
        .rept 16
            ldd r0, \pointer + (\offset + I)
            .if I == 0
                add HIGH, r0
            .else
                adc HIGH + I, r0
            .endif
            .set I, I + 1
        .endr
        adc COUNT, ZERO
    .endm

    /* r22 = 38 times byte I of H1 and so on: four products whose bytes do not overlap. */
    .macro four_products from
        ldd r0, Y + (48 + \from)
        mul r0, C38
        movw r22, r0
        ldd r0, Y + (48 + \from + 2)
        mul r0, C38
        movw r24, r0
        ldd r0, Y + (48 + \from + 4)
        mul r0, C38
        movw r26, r0
        ldd r0, Y + (48 + \from + 6)
        mul r0, C38
    .endm

entry selo_x25519_reduce
    movw ZL, YL
    subi ZL, lo8(-64)
    sbci ZH, hi8(-64)
    clr ZERO
    ldi C38, 38
    clr COUNT
    load HIGH, 16, Y, 16    /* L1 */
    add_to_high Y, 0        /* L0 */
    add_to_high Y, 32       /* H0 */
    ldd r1, Z + 32          /* -+ M0; as a complement M is 2^256 too little: 1 less */
    mov r0, r1              /* at the end of V */
    lsr r0
    .set I, 0
    .rept 16
        ldd r0, Z + I
        eor r0, r1
        adc HIGH + I, r0
        .set I, I + 1
    .endr
    adc COUNT, ZERO

    /* + 38 H1: the even bytes, then the odd ones */
    four_products 0
    add HIGH + 0, r22
    adc HIGH + 1, r23
    adc HIGH + 2, r24
    adc HIGH + 3, r25
    adc HIGH + 4, r26
    adc HIGH + 5, r27
    adc HIGH + 6, r0
    adc HIGH + 7, r1
    sbc CARRY, CARRY
    four_products 8
    lsr CARRY
    adc HIGH + 8, r22
    adc HIGH + 9, r23
    adc HIGH + 10, r24
    adc HIGH + 11, r25
    adc HIGH + 12, r26
    adc HIGH + 13, r27
    adc HIGH + 14, r0
    adc HIGH + 15, r1
    adc COUNT, ZERO
    four_products 1
    add HIGH + 1, r22
    adc HIGH + 2, r23
    adc HIGH + 3, r24
    adc HIGH + 4, r25
    adc HIGH + 5, r26
    adc HIGH + 6, r27
    adc HIGH + 7, r0
    adc HIGH + 8, r1
    sbc CARRY, CARRY
    four_products 9
    lsr CARRY
    adc HIGH + 9, r22
    adc HIGH + 10, r23
    adc HIGH + 11, r24
    adc HIGH + 12, r25
    adc HIGH + 13, r26
    adc HIGH + 14, r27
    adc HIGH + 15, r0
    adc COUNT, r1           /* at most 4 + 38 */

    /* Bit 255 leaves as 19, so that the carry of the low half finds room. */
    clr CARRY
    lsl HIGH + 15
    sbc CARRY, CARRY
    lsr HIGH + 15
    andi CARRY, 19

    /* The low half, four bytes of V at a time in r22-r25 */
    ldd XH, Z + 33
    ldd XL, Z + 34
    .set K, 0
#if SELO_X25519_SMALL
    ldd r0, Z + 32
    push r0
    ldi r22, 2
1:
    push r22
    .rept 2
#else
    .rept 4
#endif
        load 22, 4, Y, 32 + K               /* H0 */
        add r22, COUNT
        adc r23, ZERO
        adc r24, ZERO
        adc r25, ZERO
        sbc COUNT, COUNT
        neg COUNT
        .irp from, 16, 48                   /* L1, H1 */
            .set I, 0
            .rept 4
                ldd r0, Y + (\from + K + I)
                .if I == 0
                    add r22, r0
                .else
                    adc 22 + I, r0
                .endif
                .set I, I + 1
            .endr
            adc COUNT, ZERO
        .endr
#if SELO_X25519_SMALL
        pop r0
        pop r1
        push r1
        push r0
#else
        ldd r1, Z + 32
#endif
        .set I, 0
        .rept 4
            ldd r0, Z + (16 + K + I)        /* M1 */
            eor r0, r1
            .if I == 0
                add r22, r0
            .else
                adc 22 + I, r0
            .endif
            .set I, I + 1
        .endr
        adc COUNT, ZERO
        .set I, 0
        .rept 4
            mul 22 + I, C38
            add r0, CARRY
            adc r1, ZERO
            ldd 22 + I, Y + (K + I)         /* L0 */
            add r0, 22 + I
            adc r1, ZERO
            mov CARRY, r1
            st X+, r0
            .set I, I + 1
        .endr
        .set K, K + 4
    .endr
#if SELO_X25519_SMALL
    adiw YL, 8
    adiw ZL, 8
    pop r22
    dec r22
    breq 2f
    rjmp 1b
2:
#endif

    /* The rest of V, less the complement, counts 38 times in the high half: at most
     * 3 * 38 + 39, and bit 255 is free. */
#if SELO_X25519_SMALL
    pop r0
#else
    ldd r0, Z + 32
#endif
    add COUNT, r0
    mul COUNT, C38
    add CARRY, r0
    add HIGH, CARRY
    st X+, HIGH
    .set I, 1
    .rept 15
        adc HIGH + I, ZERO
        st X+, HIGH + I
        .set I, I + 1
    .endr
    ret
kernel_end selo_x25519_reduce

#endif
