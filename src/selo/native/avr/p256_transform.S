/*
 * The matrix of seven division steps, applied to two long numbers, for divisions of P-256 on AVR.
 *
 *   void selo_p256_transform_avr(uint8_t first[33], uint8_t second[33], const int8_t matrix[6],
 *                                const uint8_t *modulus);
 *
 * p256/p256.h says what it computes, and p256/p256_invert.c says what for. The modulus is in flash, or null.
 *
 * Cost of selo_p256_transform_avr: 2,479 cycles, 15 bytes of stack.
 *
 * No branch, no address and no cycle depends on the numbers or on the matrix. Without a modulus it takes
 * fewer cycles. Proved by tests/avr/p256.sh.
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_P256

#include "x25519_product.inc"

    .set SUM_1, 2           /* r2-r4: the sum for first */
    .set SUM_2, 5           /* r5-r7: for second */
    .set BEFORE_1, 8        /* its byte before */
    .set BEFORE_2, 9
    .set ZERO, 10
    .set ROW_1, 16          /* r16-r18: u, v, x */
    .set ROW_2, 19          /* r19-r21: q, r, y */
    .set BYTE, 22
    .set COUNT, 23

    /* \sum += \factor BYTE; the product's sign is in the carry */
    .macro term sum, factor, multiply=mulsu
        \multiply \factor, BYTE
        sbc \sum + 2, ZERO
        add \sum, r0
        adc \sum + 1, r1
        adc \sum + 2, ZERO
    .endm

    /* The products of a byte of each number */
    .macro terms with_modulus, multiply=mulsu
        ld BYTE, X
        term SUM_1, ROW_1, \multiply
        term SUM_2, ROW_2, \multiply
        ldd BYTE, Y + 0
        term SUM_1, ROW_1 + 1, \multiply
        term SUM_2, ROW_2 + 1, \multiply
        .if \with_modulus
            lpm BYTE, Z+
            term SUM_1, ROW_1 + 2, mulsu
            term SUM_2, ROW_2 + 2, mulsu
        .endif
    .endm

    /* The bytes before leave, as the higher part of them and the lower part of these. */
    .macro bytes_out
        mov r24, SUM_1
        lsl BEFORE_1
        rol r24
        lsl BEFORE_1
        rol r24
        mov r25, SUM_2
        lsl BEFORE_2
        rol r25
        st -X, r24
        st -Y, r25
    .endm

    .macro next_byte
        mov BEFORE_1, SUM_1
        mov BEFORE_2, SUM_2
        mov SUM_1, SUM_1 + 1
        mov SUM_1 + 1, SUM_1 + 2
        lsl SUM_1 + 2
        sbc SUM_1 + 2, SUM_1 + 2
        mov SUM_2, SUM_2 + 1
        mov SUM_2 + 1, SUM_2 + 2
        lsl SUM_2 + 2
        sbc SUM_2 + 2, SUM_2 + 2
    .endm

    .macro all_bytes with_modulus
        terms \with_modulus
        next_byte
        adiw XL, 1
        adiw YL, 1
        ldi COUNT, 31
1:
        terms \with_modulus
        bytes_out
        next_byte
        adiw XL, 2
        adiw YL, 2
        dec COUNT
        breq 2f
        rjmp 1b
2:
        terms 0, muls
        bytes_out
        next_byte
        adiw XL, 2
        adiw YL, 2
        bytes_out
    .endm

kernel selo_p256_transform_avr
    push_range 2, 10
    push_range 16, 17
    push YL
    push YH
    movw ZL, r20
    movw XL, r24
    movw YL, r22
    .set I, 0
    .rept 6
        ld ROW_1 + I, Z+
        .if I == 1
            push r18            /* the modulus, before x comes */
            push r19
        .endif
        .set I, I + 1
    .endr
    pop ZH
    pop ZL
    clr ZERO
    .irp register, 2, 3, 4, 5, 6, 7
        clr \register
    .endr
    cp ZL, ZERO
    cpc ZH, ZERO
    brne 3f
    rjmp 4f
3:
    all_bytes 1
    rjmp 5f
4:
    all_bytes 0
5:
    clr r1
    pop YH
    pop YL
    pop_range 16, 17
    pop_range 2, 10
    ret
kernel_end selo_p256_transform_avr

#endif
