#ifdef __AVR__ /* other targets compile nothing */
; selo_chacha20_block: 64 bytes of key stream [RFC8439, 2.3].
;
;   void selo_chacha20_block(uint32_t stream[16], const uint32_t state[16])
;                            r25:r24, r23:r22
;
; 11,283 cycles, call and return included. 252 bytes of flash and those of
; selo_avr_double_round; 24 bytes of stack with the return address.
;
; stream is the matrix that the rounds work on. The quarter round [RFC8439, 2.1] is one
; subroutine for all places: rotations by 16 and by 8 are other names of its registers, that
; by 12 is a byte and a product by 16, that by 7 a byte less one bit.
; Rotation by renaming is as old as RC5 on this chip; counting a rotation by 4 bits as four
; products is written here.
;
; Time: no branch and no address depends on the state.
; Proved by tests/avr/test_chacha20.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_CHACHA20

#include "kernel.inc"
#include "arx.inc"

kernel selo_chacha20_block
    save_registers
    movw r28, r24               ; Y: stream
    movw r26, r22               ; X: state
    ldi r24, 64
1:
    ld r0, X+
    st Y+, r0
    dec r24
    brne 1b
    subi r28, 64
    sbci r29, 0
    ldi r30, lo8(gs(quarter_round))
    ldi r31, hi8(gs(quarter_round))
    ldi r22, 16
    ldi r23, 10
2:
    call selo_avr_double_round
    dec r23
    brne 2b
    subi r26, 64
    sbci r27, 0
    ldi r24, 16
3:
    .irp n, 0,1,2,3
    ld r0, Y
    ld r1, X+
    .if \n
    adc r0, r1
    .else
    add r0, r1
    .endif
    st Y+, r0
    .endr
    dec r24
    brne 3b
    clr r1
    restore_registers
    ret

quarter_round:
    add_word A0, A1, A2, A3, B0, B1, B2, B3
    eor_word D0, D1, D2, D3, A0, A1, A2, A3
    add_word C0, C1, C2, C3, D2, D3, D0, D1 ; d rotated by 16
    eor_word B0, B1, B2, B3, C0, C1, C2, C3
    rotate_left_4 N0, N1, N2, N3, B3, B0, B1, B2 ; 12 = 8 + 4
    add_word A0, A1, A2, A3, N0, N1, N2, N3
    eor_word D2, D3, D0, D1, A0, A1, A2, A3
    add_word C0, C1, C2, C3, D1, D2, D3, D0 ; and by 8
    eor_word N0, N1, N2, N3, C0, C1, C2, C3
    bst N3, 0                   ; 7 = 8 - 1: N3, N0, N1, N2 from the lowest
    lsr N2
    ror N1
    ror N0
    ror N3
    bld N2, 7
    ret
kernel_end selo_chacha20_block

#endif
#endif
