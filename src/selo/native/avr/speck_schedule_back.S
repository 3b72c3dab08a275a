#ifdef __AVR__ /* others compile nothing of it */
; selo_speck_schedule_back: a step of the key schedule of Speck128 undone [SPECK2013, 4.2].
;
;   void selo_speck_schedule_back(uint8_t round_key[8], uint8_t l[8], uint8_t i)
;                                 r25:r24, r23:r22, r20
;
; 145 cycles, call and return included. 188 bytes of flash; 4 bytes of stack with the return
; address.
;
; As speck_schedule.S, in the other direction.
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

; \from, which is l[place - 1], less a byte of the round key, to l[place], which goes to \to
.macro pass place, key, from, to
    ldd \to, Z+\place
    sbc \from, \key
    std Z+\place, \from
.endm

kernel selo_speck_schedule_back
    push r16
    push r17
    movw r26, r24               ; X: round key
    movw r30, r22               ; Z: l
    .irp n, 18,19,21,22,23,24,25,0
    ld r\n, X+
    ld r16, Z+
    eor r\n, r16
    .endr
    sbiw r30, 8
    mov r16, K0
    .rept 3
    lsr K7
    ror K6
    ror K5
    ror K4
    ror K3
    ror K2
    ror K1
    ror K0
    .endr
    swap r16
    lsl r16
    andi r16, 0xe0
    or K7, r16
    .irp n, 0,25,24,23,22,21,19,18
    st -X, r\n
    .endr
    ld r16, Z
    eor r16, r20
    ldd r17, Z+1
    sub r16, K0
    std Z+1, r16
    pass 2, K1, r17, r16
    pass 3, K2, r16, r17
    pass 4, K3, r17, r16
    pass 5, K4, r16, r17
    pass 6, K5, r17, r16
    pass 7, K6, r16, r17
    sbc r17, K7
    st Z, r17
    pop r17
    pop r16
    ret
kernel_end selo_speck_schedule_back

#endif
#endif
