#ifdef __AVR__ /* other targets compile nothing */
; selo_poly1305_block: the step of Poly1305 on one block [RFC8439, 2.5].
;
;   void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17])
;                            r25:r24, r23:r22
;
; sum = (sum + block) * multiplier modulo 2^130 - 5, below 2^130 + 2^128, all in bytes.
;
; 3,100 cycles a block of 16 bytes, call and return included. 516 bytes of flash; 54 bytes
; of stack with the return address, wiped.
;
; The product is made of squares of 4 x 4 bytes, column by column of such squares, in an
; accumulator of 9 registers: the hybrid method of [GURA2004] with squares of 4. A row of a
; square is first summed in registers of its own, where no carry goes further than one byte.
; Byte 16 of the sum, which is small, has a row of its own. The reduction adds the low 130
; bits, 4 q and q in one pass, where 4 q is bytes as they stand and q comes from products
; by 64, which shift right by 2 and left by 6 at once.
;
; Time: no branch and no address depends on the message or the key.
; Proved by tests/avr/test_poly1305.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_POLY1305

#include "kernel.inc"

#define NIL r11
#define T0 r12
#define T1 r13
#define T2 r14
#define T3 r15
#define T4 r16
#define A  r17
#define B0 r18
#define B1 r19
#define B2 r20
#define B3 r21
#define SQUARES r22
#define COLUMN r23
#define MULTIPLIER 17 /* its place in the struct */

; One row of a square: A, the byte at X, times B0 to B3, to the accumulator from register
; \low on. 17 cycles and one for each byte from there to r10.
.macro row low
    ld A, X+
    clr T4
    mul A, B0
    movw T0, r0
    mul A, B2
    movw T2, r0
    mul A, B1
    add T1, r0
    adc T2, r1
    adc T3, NIL
    mul A, B3
    add T3, r0
    adc T4, r1
    add \low, T0
    adc \low + 1, T1
    adc \low + 2, T2
    adc \low + 3, T3
    adc \low + 4, T4
    .irp n, 5,6,7,8
    .if \low + \n <= 10
    adc \low + \n, NIL
    .endif
    .endr
.endm

kernel selo_poly1305_block
    frame_enter 34              ; Y: the product, 32 bytes and two more of its height

    movw r26, r24               ; sum += block
    movw r30, r22
    ldi SQUARES, 17
    clc
1:
    ld r0, X
    ld r1, Z+
    adc r0, r1
    st X+, r0
    dec SQUARES
    brne 1b

    clr NIL
    .irp n, 2,3,4,5,6,7,8,9,10
    clr \n
    .endr
    clr COLUMN
2:                              ; X: sum + 4 i, Z: multiplier + 4 (COLUMN - i) for the first i
    movw r26, r24
    movw r30, r24
    cpi COLUMN, 4
    brcc 3f
    mov r0, COLUMN
    lsl r0
    lsl r0
    add r30, r0
    adc r31, NIL
    adiw r30, MULTIPLIER
    mov SQUARES, COLUMN
    inc SQUARES
    rjmp 4f
3:
    adiw r30, MULTIPLIER + 12
    mov r0, COLUMN
    lsl r0
    lsl r0
    add r26, r0
    adc r27, NIL
    sbiw r26, 12
    ldi SQUARES, 7
    sub SQUARES, COLUMN
4:
    ld B0, Z
    ldd B1, Z+1
    ldd B2, Z+2
    ldd B3, Z+3
    sbiw r30, 4
    row 2
    row 3
    row 4
    row 5
    dec SQUARES
    breq .+2
    rjmp 4b
    st Y+, r2
    st Y+, r3
    st Y+, r4
    st Y+, r5
    movw r2, r6
    movw r4, r8
    mov r6, r10
    clr r7
    clr r8
    clr r9
    clr r10
    inc COLUMN
    cpi COLUMN, 7
    breq .+2
    rjmp 2b
    st Y+, r2
    st Y+, r3
    st Y+, r4
    st Y+, r5
    st Y+, NIL
    st Y, NIL
    sbiw r28, 17                ; byte 16

    movw r30, r24               ; byte 16 of the sum
    ldd A, Z+16
    adiw r30, MULTIPLIER
    ldi SQUARES, 16
    clr T0
5:
    ld r0, Z+
    mul A, r0
    add r0, T0
    adc r1, NIL
    mov T0, r1
    ld T1, Y
    add T1, r0
    adc T0, NIL
    st Y+, T1
    dec SQUARES
    brne 5b
    st Y, T0

    movw r26, r24               ; X: sum, Y: the low part, Z: from byte 17 on
    movw r30, r28
    sbiw r30, 15
    sbiw r28, 32
    ldd T2, Y+16                ; T2: a byte of 4 q, T3: its neighbour's last 6 bits
    mov r0, T2
    ldi SQUARES, 3
    and r0, SQUARES
    std Y+16, r0
    eor T2, r0
    ldi B0, 64
    mul T2, B0
    mov T3, r1
    clr T0                      ; carry
    ldi SQUARES, 17
6:
    ld T4, Z
    st Z+, NIL
    mul T4, B0
    or T3, r0                   ; a byte of q
    ld T1, Y
    st Y+, NIL
    add T1, T0
    clr T0
    adc T0, NIL
    add T1, T2
    adc T0, NIL
    add T1, T3
    adc T0, NIL
    st X+, T1
    mov T2, T4
    mov T3, r1
    dec SQUARES
    brne 6b

    clr r1
    frame_leave 17
kernel_end selo_poly1305_block

#endif
#endif
