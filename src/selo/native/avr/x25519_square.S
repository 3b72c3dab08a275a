/*
 * Field squaring for X25519 on AVR with a hardware multiplier.
 *
 *   void selo_field25519_square_avr(uint8_t r[32], const uint8_t a[32]);
 *
 * r = a^2 modulo 2^255 - 19, any a, r < 2^255 + 2^136. r may be a. Without it, where
 * SELO_X25519_SMALL is 1, x25519_multiply.S squares.
 *
 * Cost of selo_field25519_square_avr: 3,700 cycles, 137 bytes of stack.
 *
 * One level of subtractive Karatsuba [HUTTER2014] over squares of 16 bytes; that each
 * product of two bytes is made once and doubled is the schoolbook's. No branch, no address and
 * no cycle depends on a. The stack is not wiped: x25519_ladder.c does that once.
 *
 * Proved by tests/avr/field.sh and by the official vectors (selo lab check).
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_X25519 && !SELO_X25519_SMALL

#include "x25519_product.inc"

    .section .text.selo_field25519_square_avr, "ax", @progbits

/*
 * The square of 16 bytes at Y to 32 bytes at X, which must be apart. Uses all
 * registers.
 *
 * By columns, with the operand in r2-r17. A product of two different bytes is in the
 * sum twice: each is added once, four columns are doubled together, and then the
 * squares of two bytes are added to them. A ring of six registers holds the four
 * columns and what they carry into the fifth and the sixth.
 */
    .set A, 2
    .set ZERO, 24
    .set SUM_CARRY, 25      /* of adding squares, 0 or 1 */
    .set DOUBLE_CARRY, 30   /* of doubling, 0 or 1 */
    .set SQUARE, 28         /* r28, r29 */

    .macro ring_add         /* A + I times A + J into the columns from COLUMN on */
        mul A + I, A + J
        add 18 + COLUMN % 6, r0
        adc 18 + (COLUMN + 1) % 6, r1
        adc 18 + (COLUMN + 2) % 6, ZERO
    .endm

entry selo_x25519_square_16
    load A, 16, Y, 0
    clr ZERO
    clr SUM_CARRY
    clr DOUBLE_CARRY
    clr 18
    clr 19
    .set COLUMN, 0
    .rept 8
        .rept 4
            .if COLUMN < 30
                clr 18 + (COLUMN + 2) % 6
            .endif
            .set I, 0
            .rept 15
                .set J, COLUMN - I
                .if J > I && J < 16
                    ring_add
                .endif
                .set I, I + 1
            .endr
            .set COLUMN, COLUMN + 1
        .endr
        .set FIRST, COLUMN - 4
        lsr DOUBLE_CARRY
        rol 18 + FIRST % 6
        rol 18 + (FIRST + 1) % 6
        rol 18 + (FIRST + 2) % 6
        rol 18 + (FIRST + 3) % 6
        rol DOUBLE_CARRY
        mul A + FIRST / 2, A + FIRST / 2
        movw SQUARE, r0
        mul A + FIRST / 2 + 1, A + FIRST / 2 + 1
        lsr SUM_CARRY
        adc 18 + FIRST % 6, SQUARE
        adc 18 + (FIRST + 1) % 6, SQUARE + 1
        adc 18 + (FIRST + 2) % 6, r0
        adc 18 + (FIRST + 3) % 6, r1
        rol SUM_CARRY
        st X+, 18 + FIRST % 6
        st X+, 18 + (FIRST + 1) % 6
        st X+, 18 + (FIRST + 2) % 6
        st X+, 18 + (FIRST + 3) % 6
    .endr
    ret
kernel_end selo_x25519_square_16

/*
 * One step of Karatsuba. Its middle product is also a square and always subtracted.
 * selo_x25519_reduce (x25519_multiply.S) combines the three squares and reduces.
 */
entry selo_field25519_square_avr
    save_registers
    movw ZL, r22
    load 2, 16, Z, 16
    absolute_difference 2, 16, Z, 0, 18
    push_16
    push r24
    push r25
    ldi r18, 0xff
    push r18
    stack_room 96
    adiw ZL, 16
    push ZL
    push ZH
    movw XL, YL
    adiw XL, 1
    movw YL, r22
    rcall selo_x25519_square_16     /* L */
    pop YH
    pop YL
    stack_get XL, XH
    adiw XL, 33
    rcall selo_x25519_square_16     /* H */
    stack_get
    movw XL, YL
    subi XL, lo8(-65)
    sbci XH, hi8(-65)
    subi YL, lo8(-100)
    sbci YH, hi8(-100)
    rcall selo_x25519_square_16     /* M */
    stack_get
    adiw YL, 1
    call selo_x25519_reduce
    stack_free 96 + 19
    clr r1
    restore_registers
    ret
kernel_end selo_field25519_square_avr

#endif
