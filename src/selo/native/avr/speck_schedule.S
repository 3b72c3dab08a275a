#ifdef __AVR__ /* others compile nothing of it */
; selo_speck_schedule: a step of the key schedule of Speck128 [SPECK2013, 4.2].
;
;   void selo_speck_schedule(uint8_t round_key[8], uint8_t l[8], uint8_t i)
;                            r25:r24, r23:r22, r20
;
; 141 cycles, call and return included. 182 bytes of flash; 4 bytes of stack with the return
; address.
;
; The round key is held in registers; l passes through, a byte at a time, and finds its
; rotation by 8 bits in the addresses.
;
; Time: no branch at all.
; Proved by tests/avr/test_speck.c and by the official vectors (selo lab check).

#include "../native.h"

#if SELO_NATIVE_SPECK

#include "kernel.inc"

#define K0 r18
#define K1 r19
#define K2 r21
#define K3 r22
#define K4 r23
#define K5 r24
#define K6 r25
#define K7 r0

; l[place - 1] = l[place] + a byte of the round key and the carry
.macro pass place, key
    ldd r16, Z+\place
    adc r16, \key
    std Z+\place-1, r16
.endm

kernel selo_speck_schedule
    push r16
    push r17
    movw r26, r24               ; X: round key
    movw r30, r22               ; Z: l
    .irp n, 18,19,21,22,23,24,25,0
    ld r\n, X+
    .endr
    ld r17, Z
    ldd r16, Z+1
    add r16, K0
    eor r16, r20
    st Z, r16
    pass 2, K1
    pass 3, K2
    pass 4, K3
    pass 5, K4
    pass 6, K5
    pass 7, K6
    adc r17, K7
    std Z+7, r17
    .rept 3
    lsl K0
    rol K1
    rol K2
    rol K3
    rol K4
    rol K5
    rol K6
    rol K7
    adc K0, r1
    .endr
    .irp n, 18,19,21,22,23,24,25,0
    ld r16, Z+
    eor r\n, r16
    .endr
    .irp n, 0,25,24,23,22,21,19,18
    st -X, r\n
    .endr
    pop r17
    pop r16
    ret
kernel_end selo_speck_schedule

#endif
#endif
