#ifdef __AVR__ /* other targets compile nothing */
; selo_blake2s_compress: the compression function F [RFC7693, 3.2].
;
;   void selo_blake2s_compress(uint32_t state[8], const uint8_t block[64], uint32_t size,
;                              uint32_t last)
;                              r25:r24, r23:r22, r21:r18, r17:r14
;
; 15,672 cycles, call and return included. 420 bytes of flash, 80 of the schedule and
; those of selo_avr_double_round; 91 bytes of stack with the return address.
;
; The working vector stands on the stack; selo_avr_double_round walks it, and the mixing
; function G [RFC7693, 3.1] is one subroutine for all places: rotations by 16 and by 8 are
; other names of its registers, that by 12 is two bytes and a product by 16, that by 7 a
; byte less one bit. Where its four words stand the caller knows, so a G costs no more than
; its arithmetic, eight bytes of the message and a byte of the schedule.
;
; Time: no branch and no address depends on anything but the schedule, which is public.
; Proved by tests/avr/test_blake2s.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_BLAKE2S

#include "kernel.inc"
#include "arx.inc"

#define AT r23   /* place in the schedule */
#define NIL r25  /* 0; r1 is mul's */

; Z: the word of the message that begins at byte \place; added to a
.macro add_message place
    movw r30, r26
    add r30, \place
    adc r31, NIL
    .irp n, 0,1,2,3
    ldd r0, Z+\n
    .if \n
    adc 2 + \n, r0
    .else
    add A0, r0
    .endif
    .endr
.endm

kernel selo_blake2s_compress
    frame_enter 64, , r24, r25  ; Y: the working vector
    movw r30, r24
    movw r26, r28
    ldi r24, 32
1:
    ld r0, Z+
    st X+, r0
    dec r24
    brne 1b
    ldi r30, lo8(selo_blake2s_iv)
    ldi r31, hi8(selo_blake2s_iv)
    ldi r24, 32
2:
    lpm r0, Z+
    st X+, r0
    dec r24
    brne 2b
    .irp n, 0,1,2,3
    ldd r0, Y+48+\n
    eor r0, 18 + \n
    std Y+48+\n, r0
    ldd r0, Y+56+\n
    eor r0, 14 + \n
    std Y+56+\n, r0
    .endr
    movw r26, r22               ; X: block
    ldi SIXTEEN, 16
    clr AT
    clr NIL
    ldi r30, lo8(gs(mix))
    ldi r31, hi8(gs(mix))
3:
    call selo_avr_double_round
    cpi AT, 80
    brne 3b
    movw r30, r28               ; state += the upper and the lower half, which are wiped
    adiw r30, 32
    ldd r27, Z+32
    ldd r26, Z+33
    ldi r24, 32
4:
    ld r0, X
    ld r1, Y
    eor r0, r1
    ld r1, Z
    eor r0, r1
    st X+, r0
    st Y+, NIL
    st Z+, NIL
    dec r24
    brne 4b
    clr r1
    frame_leave 34

mix:
    ldi r30, lo8(sigma)
    ldi r31, hi8(sigma)
    add r30, AT
    adc r31, NIL
    inc AT
    lpm N0, Z
    push N0
    lsl N0
    lsl N0
    andi N0, 0x3c
    add_word A0, A1, A2, A3, B0, B1, B2, B3
    add_message N0
    eor_word D0, D1, D2, D3, A0, A1, A2, A3
    add_word C0, C1, C2, C3, D2, D3, D0, D1 ; d rotated by 16
    eor_word B0, B1, B2, B3, C0, C1, C2, C3
    rotate_left_4 N2, N3, N0, N1, B2, B3, B0, B1 ; right by 12: left by 16 + 4
    add_word A0, A1, A2, A3, N2, N3, N0, N1
    pop B0
    lsr B0
    lsr B0
    ldi r30, 0x3c
    and B0, r30
    add_message B0
    eor_word D2, D3, D0, D1, A0, A1, A2, A3
    add_word C0, C1, C2, C3, D3, D0, D1, D2 ; and by 8
    eor_word N2, N3, N0, N1, C0, C1, C2, C3
    lsl N3                      ; right by 7 = 8 - 1: N3, N0, N1, N2 from the lowest
    rol N0
    rol N1
    rol N2
    adc N3, NIL
    movw r0, D0                 ; d where the caller looks for it
    movw D0, D2
    movw D2, r0
    ldi r30, lo8(gs(mix))
    ldi r31, hi8(gs(mix))
    ret
kernel_end selo_blake2s_compress

; The permutations of the message words [RFC7693, 2.7]: two words a byte, the first one in
; the lower half.
.section .progmem.data.selo_blake2s_compress, "a", @progbits
sigma:
    .byte 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe
    .byte 0xae, 0x84, 0xf9, 0x6d, 0xc1, 0x20, 0x7b, 0x35
    .byte 0x8b, 0x0c, 0x25, 0xdf, 0xea, 0x63, 0x17, 0x49
    .byte 0x97, 0x13, 0xcd, 0xeb, 0x62, 0xa5, 0x04, 0x8f
    .byte 0x09, 0x75, 0x42, 0xfa, 0x1e, 0xcb, 0x86, 0xd3
    .byte 0xc2, 0xa6, 0xb0, 0x38, 0xd4, 0x57, 0xef, 0x91
    .byte 0x5c, 0xf1, 0xde, 0xa4, 0x70, 0x36, 0x29, 0xb8
    .byte 0xbd, 0xe7, 0x1c, 0x93, 0x05, 0x4f, 0x68, 0xa2
    .byte 0xf6, 0x9e, 0x3b, 0x80, 0x2c, 0x7d, 0x41, 0x5a
    .byte 0x2a, 0x48, 0x67, 0x51, 0xbf, 0xe9, 0xc3, 0x0d

#endif
#endif
