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
 * Two levels of subtractive Karatsuba without branches over products of 8 bytes by columns, as in
 * [HUTTER2014]. The third sum of each level, the use of registers, and the reduction merged with
 * the upper level are our own. No branch, no address and no cycle depends on a or b. Registers
 * follow the C ABI [AVRGCC]. The stack is not wiped here: x25519_ladder.c does that once.
 *
 * Proved by tests/avr/field.sh (every figure above too) and by the official vectors
 * (selo lab check --board uno --algorithm x25519).
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_X25519

#include "x25519_product.inc"

    .section .text.selo_field25519_multiply_avr, "ax", @progbits

/*
 * 16 bytes at Y times 16 bytes at Z to 32 bytes at X, which must be apart from both.
 * Uses all registers.
 *
 * Subtractive Karatsuba. With a = a0 + a1 K, K = 2^64, and L = a0 b0, H = a1 b1,
 * M = |a1 - a0| |b1 - b0|, the product is L + (L + H -+ M) K + H K^2; M is subtracted if the
 * differences have the same sign. Neither a branch nor an address depends on it: the
 * mask 0xff or 0 complements M, and its lowest bit goes in as a carry.
 */
    .set A, 2
    .set B, 10

    .macro next_register    /* registers of the middle product, in the order in which they become free */
        .if COLUMN_R < 6
            .set NEXT, 20 + COLUMN_R
        .elseif COLUMN_R < 8
            .set NEXT, 26 + COLUMN_R - 6
        .elseif (COLUMN_R & 1) == 0
            .set NEXT, A + (COLUMN_R - 8) / 2
        .else
            .set NEXT, B + (COLUMN_R - 8) / 2
        .endif
        .set COLUMN_R, COLUMN_R + 1
    .endm

#if SELO_X25519_SMALL
/* The outer products share one copy of the code, and squaring is multiplication. */
    .set C0, 18
    .set C1, 19
    .set C2, 20
    .set ZERO, 21
    .set KEEP, 0
outer_product:
    multiply_8
    ret
    .macro outer
        rcall outer_product
    .endm

entry selo_field25519_square_avr
    movw r20, r22
    rjmp selo_field25519_multiply_avr
kernel_end selo_field25519_square_avr
#else
    .macro outer
        multiply_8
    .endm
#endif

entry selo_x25519_multiply_16
    push XL
    push XH
    .set C0, 18
    .set C1, 19
    .set C2, 20
    .set ZERO, 21
    .set KEEP, 0
    clr ZERO
    load A, 8, Y, 0
    load B, 8, Z, 0
    outer                   /* L */
    load A, 8, Y, 8
    load B, 8, Z, 8
    .set C0, 18
    .set C1, 19
    .set C2, 20
    outer                   /* H */
    absolute_difference A, 8, Y, 0, 22
    absolute_difference B, 8, Z, 0, 29
    eor r29, r22
    com r29                 /* 0xff: M is subtracted */

    /* M stays in registers: bytes 0-7 in r18-r25, 8, 9 in r26, r27, then r2, r10, r3,
     * r11, r4, r12, whose operands are no longer needed when their turn comes. */
    .set C0, 18
    .set C1, 19
    .set C2, 20
    .set ZERO, 28
    .set KEEP, 1
    .set COLUMN_R, 1
    clr ZERO
    multiply_8
    pop ZH
    pop ZL

    /* S = low(H) + high(L), in r5-r9 and r13-r15; its carry as a mask in r16. */
    .set K, 0
    .irp s, 5, 6, 7, 8, 9, 13, 14, 15
        ldd \s, Z + (8 + K)
        ldd r0, Z + (16 + K)
        .if K == 0
            add \s, r0
        .else
            adc \s, r0
        .endif
        .set K, K + 1
    .endr
    sbc r16, r16
    /* M = -+ M + S (1 + K). r17 counts what is beyond 2^128: -1 for the complement. */
    .irp m, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 2, 10, 3, 11, 4, 12
        eor \m, r29
    .endr
    mov r17, r29
    lsr r29
    .irp pair, "18, 5", "19, 6", "20, 7", "21, 8", "22, 9", "23, 13", "24, 14", "25, 15", \
               "26, 5", "27, 6", "2, 7", "10, 8", "3, 9", "11, 13", "4, 14", "12, 15"
        adc \pair
    .endr
    adc r17, ZERO
    /* high(H) plus the carry of S replaces S. No carry is left, since
     * high(L) + H < 2^128. */
    .set K, 0
    lsr r16
    .irp s, 5, 6, 7, 8, 9, 13, 14, 15
        ldd \s, Z + (24 + K)
        adc \s, ZERO
        .set K, K + 1
    .endr
    /* M += low(L) + high(H) K */
    .set K, 0
    .irp m, 18, 19, 20, 21, 22, 23, 24, 25
        ldd r0, Z + K
        .if K == 0
            add \m, r0
        .else
            adc \m, r0
        .endif
        .set K, K + 1
    .endr
    .irp pair, "26, 5", "27, 6", "2, 7", "10, 8", "3, 9", "11, 13", "4, 14", "12, 15"
        adc \pair
    .endr
    adc r17, ZERO           /* -1 to 2, because high(H) has the carry of S already */
    mov r16, r17
    lsl r16
    sbc r16, r16            /* its sign */
    .set K, 8
    .irp m, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 2, 10, 3, 11, 4, 12
        std Z + K, \m
        .set K, K + 1
    .endr
    add r5, r17
    std Z + 24, r5
    .set K, 25
    .irp s, 6, 7, 8, 9, 13, 14, 15
        adc \s, r16
        std Z + K, \s
        .set K, K + 1
    .endr
    ret
kernel_end selo_x25519_multiply_16

/*
 * The same step again, with K = 2^128. selo_x25519_reduce combines the three products and
 * reduces. Stack: 18 registers, 35 bytes for the differences and their masks, 96 for the
 * products.
 */
entry selo_field25519_multiply_avr
    save_registers
    /* |b1 - b0| below |a1 - a0|, from the top of the stack down */
    movw ZL, r22
    load 2, 16, Z, 16
    absolute_difference 2, 16, Z, 0, 18
    push_16
    movw ZL, r20
    load 2, 16, Z, 16
    absolute_difference 2, 16, Z, 0, 19
    push_16
    push r24
    push r25
    eor r18, r19
    com r18
    push r18                /* 0xff: M is subtracted */
    stack_room 96
    adiw ZL, 16             /* b1 and a1, for the second product */
    push ZL
    push ZH
    movw XL, YL
    movw ZL, r22
    adiw ZL, 16
    push ZL
    push ZH
    adiw XL, 1
    movw YL, r22
    movw ZL, r20
    rcall selo_x25519_multiply_16       /* L */
    pop YH
    pop YL
    pop ZH
    pop ZL
    stack_get XL, XH
    adiw XL, 33
    rcall selo_x25519_multiply_16       /* H */
    stack_get
    movw XL, YL
    subi XL, lo8(-65)
    sbci XH, hi8(-65)
    subi YL, lo8(-100)
    sbci YH, hi8(-100)
    movw ZL, YL
    adiw ZL, 16
    rcall selo_x25519_multiply_16       /* M */
    stack_get
    adiw YL, 1
    rcall selo_x25519_reduce
    stack_free 96 + 35
    clr r1
    restore_registers
    ret
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
