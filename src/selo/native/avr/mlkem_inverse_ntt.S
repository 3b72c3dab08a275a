#ifdef __AVR__ /* other targets compile nothing */
; selo_mlkem_inverse_ntt: the inverse transform of ML-KEM in place [FIPS203, algorithm 10], times
; 2^16.
;
;   void selo_mlkem_inverse_ntt(int16_t poly[256])
;                               r25:r24
;
; 65,167 cycles, call and return included. 300 bytes of flash, 18 bytes of stack with the return
; address.
;
; The first, the third and the fifth layer shorten their sums: mlkem_inverse_ntt.c has the bounds.
;
; Time: no branch and no address depends on the polynomial.
; Proved by tests/avr/test_mlkem.c and by the official vectors (tests/avr/mlkem.sh).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_MLKEM

#include "kernel.inc"
#include "mlkem.inc"

#define ZERO r6
#define BLOCKS r7
#define POLY r8 /* a pair */
#define THIRTEEN r23
#define COUNT r15
#define BLOCK r14
#define LENGTH r13
#define ESTIMATE r12 /* 157 */
#define TEN_Q 33290

; The pair r25:r24 plus a multiple of q, from 0 to 1.14 q (selo_mlkem_shorten in mlkem.h).
; 12 cycles. The product 13 * r20 is below 256.
.macro shorten
    subi r24, lo8(-TEN_Q)
    sbci r25, hi8(-TEN_Q)
    mul r25, ESTIMATE
    mov r20, r1
    lsr r20
    lsr r20
    lsr r20
    mul r20, THIRTEEN
    sub r24, r20
    sbc r25, r0
.endm

kernel selo_mlkem_inverse_ntt
    push_range 2, 9
    push_range 12, 17
    push r28
    push r29
    movw POLY, r24
    clr ZERO
    ldi r24, 157
    mov ESTIMATE, r24
    ldi THIRTEEN, 13
    ldi r24, 2
    mov LENGTH, r24
    ldi r24, 64
    mov BLOCKS, r24
    ldi r26, lo8(selo_mlkem_zetas + 254) ; X: the next factor, backwards
    ldi r27, hi8(selo_mlkem_zetas + 254)
layer:
    movw r28, POLY
    mov BLOCK, BLOCKS
    mov r24, LENGTH
    andi r24, 2 | 8 | 32
    clt
    breq block
    set                         ; T: this layer shortens
block:
    movw r30, r26
    lpm r18, Z+
    lpm r19, Z
    sbiw r30, 3
    movw r26, r30
    movw r30, r28               ; Y: the first of two coefficients, Z: the second
    add r30, LENGTH
    adc r31, ZERO
    add r30, LENGTH
    adc r31, ZERO
    mov COUNT, LENGTH
1:
    ld r4, Y
    ldd r5, Y+1
    ld r16, Z
    ldd r17, Z+1
    movw r24, r16
    add r24, r4
    adc r25, r5
    sub r16, r4
    sbc r17, r5
    brtc 2f
    shorten
2:
    st Y+, r24
    st Y+, r25
    product r2, r3, THIRTEEN, ZERO
    st Z+, r2
    st Z+, r3
    dec COUNT
    brne 1b
    movw r28, r30
    dec BLOCK
    brne block
    lsl LENGTH
    lsr BLOCKS
    breq 3f
    rjmp layer
3:
    movw r28, POLY              ; times 2^32 / 128
    ldi r18, lo8(1441)
    ldi r19, hi8(1441)
    clr COUNT
4:
    ld r16, Y
    ldd r17, Y+1
    product r2, r3, THIRTEEN, ZERO
    st Y+, r2
    st Y+, r3
    dec COUNT
    brne 4b
    clr r1
    pop r29
    pop r28
    pop_range 12, 17
    pop_range 2, 9
    ret
kernel_end selo_mlkem_inverse_ntt

#endif
#endif
