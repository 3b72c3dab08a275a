#ifdef __AVR__ /* other targets compile nothing */
; selo_sha512_compress: the compression function of SHA-512 [FIPS180-4, 6.4.2], the small one.
;
;   void selo_sha512_compress(uint64_t state[8], uint64_t block[16])
;                             r25:r24            r23:r22
;
; 69,883 cycles, call and return included. 1,008 bytes of flash and the 640 of the constants:
; with SELO_SHA512_SMALL=1 it takes the place of sha512_compress_fast.S. 218 bytes of stack
; with the return address, wiped where words of the hash stood.
;
; As sha512_compress_fast.S has it, the working variables are a window on the stack that slides
; down by a word each round, and the schedule is made in the place of the block for 16 rounds
; at a time. Its words keep the order of bytes that the block has. The terms of a Sigma or
; sigma are one chain of shifts by a bit, which are subroutines; one more makes Ch and Maj,
; which are both a choice between two words: Maj = c + (a + c)(b + c).
;
; Time: no branch and no address depends on the state or on the block.
; Proved by tests/avr/test_sha512.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_SHA512 && SELO_SHA512_SMALL

#include "kernel.inc"

/* Each is eight registers from here on. */
#define S 2  /* the sum of the round, or of the schedule's step */
#define V 10 /* e, a or a word of the schedule */
#define T 18
#define AT r1 /* the step's place in the block, in bytes */

#define WINDOW 192 /* bytes */

#define SHA2_SIZE 8
#define SHA2_BYTES 0,1,2,3,4,5,6,7
#include "sha2.inc"

; T = V rotated right by 8 \at, which is even
.macro copy at
    .irp n, 0,2,4,6
    movw T + \n, BYTE(V, \n + \at)
    .endr
.endm

.macro right
    mov r0, T
    lsr r0
    .irp n, 7,6,5,4,3,2,1,0
    ror T + \n
    .endr
.endm

; The sum += where V is 1 the word at Y + \at, where it is 0 the one behind it.
.macro add_choice at
    movw r30, r28
    adiw r30, \at
    rcall choice
.endm

; V = the word that stands \words after the step's; Z: there
.macro fetch words
    ldi T, 8 * \words
    rcall fetch_word
.endm

kernel selo_sha512_compress
    frame_enter WINDOW, , r24, r25 ; Y: the window
    ldi r30, lo8(selo_sha512_constants)
    ldi r31, hi8(selo_sha512_constants)
    push r30
    push r31
    movw r26, r24
    movw r24, r22

passes:                         ; X: the state, or the window's lower end, to its upper end
    subi r28, lo8(-128)
    sbci r29, hi8(-128)
    ldi T, 32
1:
    ld r0, X+
    st Y+, r0
    ld r0, X+
    st Y+, r0
    dec T
    brne 1b
    subi r28, 64
    sbci r29, 0
    movw r26, r24
    adiw r26, 8                 ; X: behind the word

rounds:
    load S, 56                  ; h
    .irp n, 0,1,2,3,4,5,6,7
    ld r0, -X
    add_byte \n, S + \n, r0
    .endr
    adiw r26, 16
    pop r31
    pop r30
    .irp n, 0,1,2,3,4,5,6,7
    lpm r0, Z+
    add_byte \n, S + \n, r0
    .endr
    push r30
    push r31
    load V, 32                  ; e
    add_choice 40               ; Ch
    copy 0                      ; Sigma1: 14 = 8 + 6; 18 = 16 + 2; 41 = 40 + 1
    rcall right_4
    eor_word T, V, 1
    rcall right_1
    eor_word T, V, 4
    rcall right_1
    add_word S, T, 1
    .irp n, 0,1,2,3,4,5,6,7     ; d becomes e
    ldd r0, Y+24+\n
    add_byte \n, r0, S + \n
    std Y+24+\n, r0
    .endr
    load V, 0                   ; a
    copy 4                      ; Sigma0: 39 = 32 + 7; 28 = 24 + 4; 34 = 32 + 2
    rcall right_3
    eor_word T, V, 3
    rcall right_2
    eor_word T, V, 4
    rcall right_2
    add_word S, T
    .irp n, 0,1,2,3,4,5,6,7
    ldd r0, Y+16+\n
    eor V + \n, r0
    .endr
    add_choice 8                ; Maj
    .irp n, 7,6,5,4,3,2,1,0
    st -Y, S + \n
    .endr
    in T, _SFR_IO_ADDR(SPL)     ; the window's lower end is above it and two bytes
    subi T, -3
    cp r28, T
    breq 2f
    rjmp rounds
2:
    pop r31
    pop r30
    ldi T, hi8(selo_sha512_constants + 640)
    cpi r30, lo8(selo_sha512_constants + 640)
    cpc r31, T
    brne 3f
    movw r30, r28               ; state += window, which is wiped
    subi r30, lo8(-WINDOW)
    sbci r31, hi8(-WINDOW)
    ld r27, Z
    ldd r26, Z+1
    clr r1
    ldi T, 8
4:
    ldi T + 1, 8
    clc
5:
    ld r0, X
    ld r2, Y
    adc r0, r2
    st X+, r0
    st Y+, r1
    dec T + 1
    brne 5b
    dec T
    brne 4b
    ldi T, WINDOW - 64
6:
    st Y+, r1
    dec T
    brne 6b
    frame_leave 2
3:
    push r30
    push r31
    subi r26, 136
    sbci r27, 0
    movw r28, r26
    clr AT

steps:                          ; Y: the block
    fetch 14
    copy 0                      ; sigma1: shift by 6; 61 = 56 + 5; 19 = 16 + 3
    andi T, 0xc0
    rcall right_1
    eor_word T, V, 7
    rcall right_2
    eor_word T, V, 2
    rcall right_3
    .irp n, 0,2,4,6
    movw S + \n, T + \n
    .endr
    fetch 9
    add_word S, V
    fetch 1
    copy 0                      ; sigma0: 1; 8; shift by 7 = 8 - 1
    rcall right_1
    eor_word T, V, 1
    lsl V
    .irp n, 1,2,3,4,5,6,7
    rol V + \n
    .endr
    clr V
    rol V
    eor_word T, V, 1
    add_word S, T
    fetch 0
    add_word S, V
    .irp n, 0,1,2,3,4,5,6,7
    std Z+7-\n, S + \n
    .endr
    ldi T, 8
    add AT, T
    sbrs AT, 7                  ; 128
    rjmp steps
    movw r24, r28
    stack_get
    adiw r28, 3
    movw r26, r28
    rjmp passes

choice:
    .irp n, 0,1,2,3,4,5,6,7
    ldd r0, Z+8+\n
    ldd T, Z+\n
    eor T, r0
    and T, V + \n
    eor T, r0
    add_byte \n, S + \n, T
    .endr
    ret

fetch_word:
    add T, AT
    andi T, 127
    movw r30, r28
    add r30, T
    clr r0
    adc r31, r0
    .irp n, 0,1,2,3,4,5,6,7
    ldd V + \n, Z+7-\n
    .endr
    ret

right_4:
    right
right_3:
    right
right_2:
    right
right_1:
    right
    ret
kernel_end selo_sha512_compress

#endif
#endif
