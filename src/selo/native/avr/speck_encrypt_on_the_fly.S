#ifdef __AVR__ /* other targets compile nothing */
; selo_speck_encrypt_on_the_fly: Speck128, each round key made when it is used
; [SPECK2013, 4.1, 4.2].
;
;   void selo_speck_encrypt_on_the_fly(const uint8_t *key, uint8_t out[16],
;                                      const uint8_t in[16], uint8_t words)
;                                      r25:r24, r23:r22, r21:r20, r18
;
; out may be in; words is 2, 3 or 4. Through selo_speck128_tiny_encrypt, call and return
; included: 5,222 cycles (192: 5,424; 256: 5,636).
; 522 bytes of flash; 30, 38 or 46 bytes of stack with the return address.
;
; One round and one step of the schedule are written out. The block and the round key are
; held in registers. The words l stand on the stack, pushed there, and pass through two
; registers byte by byte: their rotation by 8 bits is in the addresses, and the bytes that
; are in the registers at the end are not loaded again. The last step ends the last turn
; through the words l for all three sizes (31, 16, 11 turns), so that Y has come home.
;
; Time: branches depend on the number of words only.
; Stack: the words l are wiped.
; Proved by tests/avr/test_speck.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_SPECK

#include "kernel.inc"
#include "speck.inc"

; byte `place` of l: the one above it, with a byte of the round key and the carry
.macro pass place, key
    ldd r0, Y+\place+2
    adc r0, \key
    std Y+\place+1, r0
.endm

kernel selo_speck_encrypt_on_the_fly
    fly_begin 1
    mov r30, r26                ; the last round
    clr r26                     ; this one
    rjmp 2f
1:
    ldd r27, Y+2                ; l = (l >>> 8) + k ^ i; its lowest byte stays in r27,
    add r27, K0
    eor r27, r26
    pass 1, K1
    pass 2, K2
    pass 3, K3
    pass 4, K4
    pass 5, K5
    pass 6, K6
    ldd r0, Y+1                 ; its highest in r0
    adc r0, K7
    std Y+8, r0
    std Y+1, r27
    rotate_left_3 K0, K1, K2, K3, K4, K5, K6, K7
    eor K0, r27                 ; k = (k <<< 3) ^ l
    eor K7, r0
    .irp n, 3,4,5,6,7,8
    ldd r0, Y+\n-1
    eor r\n, r0
    .endr
    inc r26
    fly_next
2:
    rotate_down                 ; x = (x >>> 8) + y ^ k
    add X0, Y0
    adc X1, Y1
    adc X2, Y2
    adc X3, Y3
    adc X4, Y4
    adc X5, Y5
    adc X6, Y6
    adc X7, Y7
    eor_word X0, X1, X2, X3, X4, X5, X6, X7, K0, K1, K2, K3, K4, K5, K6, K7
    rotate_left_3 Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7
    eor_word Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, X0, X1, X2, X3, X4, X5, X6, X7
    cpse r26, r30
    rjmp 1b
    fly_end
kernel_end selo_speck_encrypt_on_the_fly

#endif
#endif
