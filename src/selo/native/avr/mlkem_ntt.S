#ifdef __AVR__ /* other targets compile nothing */
; selo_mlkem_ntt: the transform of ML-KEM in place [FIPS203, algorithm 9].
;
;   void selo_mlkem_ntt(int16_t poly[256])
;                       r25:r24
;
; 48,867 cycles, call and return included. 186 bytes of flash, 15 bytes of stack with the return
; address.
;
; A butterfly keeps all that it works with in registers. Nothing is reduced between the layers:
; mlkem_ntt.c has the bounds.
;
; Time: no branch and no address depends on the polynomial.
; Proved by tests/avr/test_mlkem.c and by the official vectors (tests/avr/mlkem.sh).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_MLKEM

#include "kernel.inc"
#include "mlkem.inc"

#define SUM r2 /* a pair: the product */
#define EVEN r4 /* a pair: the first coefficient */
#define ZERO r6
#define BLOCKS r7
#define THIRTEEN r23
#define COUNT r24
#define LENGTH r25 /* coefficients between two that a butterfly joins */
#define BLOCK r14
#define POLY r8 /* a pair */

kernel selo_mlkem_ntt
    push_range 2, 9
    push r14
    push_range 16, 17
    push r28
    push r29
    movw POLY, r24
    clr ZERO
    ldi THIRTEEN, 13
    ldi LENGTH, 128
    clr BLOCKS
    inc BLOCKS
    ldi r26, lo8(selo_mlkem_zetas + 2) ; X: the next factor
    ldi r27, hi8(selo_mlkem_zetas + 2)
layer:
    movw r28, POLY
    mov BLOCK, BLOCKS
block:
    movw r30, r26
    lpm r18, Z+
    lpm r19, Z+
    movw r26, r30
    movw r30, r28               ; Y: the first of two coefficients, Z: the second
    add r30, LENGTH
    adc r31, ZERO
    add r30, LENGTH
    adc r31, ZERO
    mov COUNT, LENGTH
1:
    ld r16, Z
    ldd r17, Z+1
    product r2, r3, THIRTEEN, ZERO
    ld r4, Y
    ldd r5, Y+1
    movw r16, EVEN
    sub r16, r2
    sbc r17, r3
    add r4, r2
    adc r5, r3
    st Z+, r16
    st Z+, r17
    st Y+, r4
    st Y+, r5
    dec COUNT
    brne 1b
    movw r28, r30
    dec BLOCK
    brne block
    lsl BLOCKS
    lsr LENGTH
    cpi LENGTH, 1
    breq 2f
    rjmp layer
2:
    clr r1
    pop r29
    pop r28
    pop_range 16, 17
    pop r14
    pop_range 2, 9
    ret
kernel_end selo_mlkem_ntt

#endif
#endif
