#ifdef __AVR__ /* other targets compile nothing */
; selo_sha512_compress: the compression function of SHA-512 [FIPS180-4, 6.4.2], the fast one.
;
;   void selo_sha512_compress(uint64_t state[8], uint64_t block[16])
;                             r25:r24            r23:r22
;
; 54,328 cycles, call and return included. 1,490 bytes of flash and the 640 of the constants;
; SELO_SHA512_SMALL=1 takes sha512_compress_small.S in its place. 216 bytes of stack with the
; return address, wiped where words of the hash stood.
;
; As sha256_compress_fast.S: the working variables are a window on the stack that slides down by a
; word each round, so that displacements, which just reach from a to h, name them. Three
; words have registers: the round's sum, e and later a, and one to work with. Of the terms
; of a Sigma, two are a chain of shifts by one bit, and the third is made where e or a stands,
; which is needed no more by then. The schedule is a ring of 16 words in place, made for 16
; rounds at a time.
; Displacements in the place of moves are of [CHENG2018]; what is done with them is written here.
;
; Time: no branch and no address depends on the state or on the block.
; Proved by tests/avr/test_sha512.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_SHA512 && !SELO_SHA512_SMALL

#include "kernel.inc"

/* Each is eight registers from here on. */
#define S 2  /* the sum of the round, or of the schedule's step */
#define V 10
#define T 18
#define COUNT r1 /* of the schedule */

#define WINDOW 192 /* bytes */

#define SHA2_SIZE 8
#define SHA2_BYTES 0,1,2,3,4,5,6,7
#include "sha2.inc"

.macro copy to, from
    .irp n, 0,2,4,6
    movw \to + \n, \from + \n
    .endr
.endm

; Byte n of the word is in the register n + \at.
.macro left x, at, bits
    mov r0, BYTE(\x, \at + 7)
    .rept \bits
    lsl r0
    .irp n, 0,1,2,3,4,5,6,7
    rol BYTE(\x, \at + \n)
    .endr
    .endr
.endm

.macro right x, at, bits
    mov r0, BYTE(\x, \at)
    .rept \bits
    lsr r0
    .irp n, 7,6,5,4,3,2,1,0
    ror BYTE(\x, \at + \n)
    .endr
    .endr
.endm

kernel selo_sha512_compress
    frame_enter WINDOW, , r24, r25 ; Y: the window
    movw r26, r24               ; X: state
    movw r30, r22
    ldi T, 16
1:                              ; words from big-endian bytes
    .irp n, 0,1,2,3,4,5,6,7
    ldd S + \n, Z+\n
    .endr
    .irp n, 7,6,5,4,3,2,1,0
    st Z+, S + \n
    .endr
    dec T
    brne 1b
    movw r24, r22
    ldi r30, lo8(selo_sha512_constants)
    ldi r31, hi8(selo_sha512_constants)

passes:                         ; the state, or the window's lower end, to its upper end
    subi r28, lo8(-128)
    sbci r29, hi8(-128)
    ldi T, 8
2:
    .irp n, 0,1,2,3,4,5,6,7
    ld r0, X+
    std Y+\n, r0
    .endr
    adiw r28, 8
    dec T
    brne 2b
    subi r28, 64
    sbci r29, 0
    movw r26, r24

rounds:
    load S, 56                  ; h
    .irp n, 0,1,2,3,4,5,6,7
    ld r0, X+
    add_byte \n, BYTE(S, \n), r0
    .endr
    .irp n, 0,1,2,3,4,5,6,7
    lpm r0, Z+
    add_byte \n, BYTE(S, \n), r0
    .endr
    load V, 32
    .irp n, 0,1,2,3,4,5,6,7     ; Ch = g + e(f + g)
    ldd r0, Y+48+\n
    ldd r1, Y+40+\n
    eor r1, r0
    and r1, V + \n
    eor r1, r0
    add_byte \n, BYTE(S, \n), r1
    .endr
    copy T, V                   ; Sigma1: 14 = 16 - 2; 18 = 16 + 2; 41 = 40 + 1
    right T, 2, 1
    eor_word T, V, 3
    right T, 2, 1
    left V, 2, 2
    eor_word T, V, 0
    add_word S, T, 2
    .irp n, 0,1,2,3,4,5,6,7     ; d becomes e
    ldd r0, Y+24+\n
    add_byte \n, r0, BYTE(S, \n)
    std Y+24+\n, r0
    .endr
    load V, 0
    copy T, V
    .irp n, 0,1,2,3,4,5,6,7     ; Maj = b + (a + b)(b + c)
    ldd r0, Y+8+\n
    ldd r1, Y+16+\n
    eor T + \n, r0
    eor r1, r0
    and r1, T + \n
    eor r1, r0
    add_byte \n, BYTE(S, \n), r1
    .endr
    copy T, V                   ; Sigma0: 28 = 24 + 4; 34 = 32 + 2; 39 = 40 - 1
    right T, 3, 2
    eor_word T, V, 1
    right T, 3, 2
    left V, 5, 1
    eor_word T, V, 2
    add_word S, T, 3
    .irp n, 7,6,5,4,3,2,1,0
    st -Y, S + \n
    .endr
    in T, _SFR_IO_ADDR(SPL)     ; the window's lower end is above it
    inc T
    cp r28, T
    breq 3f
    rjmp rounds
3:
    ldi T, hi8(selo_sha512_constants + 640)
    cpi r30, lo8(selo_sha512_constants + 640)
    cpc r31, T
    brne 4f
    rjmp sum
4:
    push r30
    push r31
    subi r26, 128
    sbci r27, 0
    movw r28, r26               ; Y: w[t], X: w[t + 9], Z: w[t + 14]
    movw r30, r26
    subi r26, lo8(-72)
    sbci r27, hi8(-72)
    subi r30, lo8(-112)
    sbci r31, hi8(-112)
    ldi T, 16
    mov COUNT, T

steps:
    .irp n, 0,1,2,3,4,5,6,7
    ld V + \n, Z+
    .endr
    copy S, V                   ; sigma1: 19 = 16 + 3; 61 = 64 - 3; shift by 6 = 8 - 2
    left S, 0, 1
    mov T, V                    ; of what a rotation brings round, two bits
    andi T, 0xc0
    eor S + 7, T
    .irp n, 0,1,2,3,4,5,6
    eor S + \n, V + 1 + \n
    .endr
    left S, 0, 2
    right V, 2, 3
    eor_word S, V, 2
    .irp n, 0,1,2,3,4,5,6,7
    ld r0, X+
    add_byte \n, BYTE(S, \n), r0
    .endr
    .irp n, 0,1,2,3,4,5,6,7
    ldd r0, Y+\n
    add_byte \n, BYTE(S, \n), r0
    .endr
    dec COUNT
    brne 5f
    subi r28, 128               ; at the end w[t + 1] is w[0]
    sbci r29, 0
    load V, 8
    subi r28, lo8(-128)
    sbci r29, hi8(-128)
    rjmp 6f
5:
    load V, 8                   ; w[t + 1]
6:
    copy T, V                   ; sigma0: 1; 8; shift by 7 = 8 - 1
    right T, 0, 1
    eor_word T, V, 1
    lsl V
    .irp n, 1,2,3,4,5,6,7
    rol V + \n
    .endr
    clr V
    rol V
    eor_word T, V, 1
    add_word S, T, 0
    .irp n, 0,1,2,3,4,5,6,7
    st Y+, S + \n
    .endr
    mov T, COUNT
    cpi T, 14
    brne 7f
    subi r30, 128               ; the next w[t + 14] is w[0]
    sbci r31, 0
7:
    cpi T, 9
    brne 8f
    subi r26, 128               ; the next w[t + 9] is w[0]
    sbci r27, 0
8:
    tst T
    breq 9f
    rjmp steps
9:
    subi r28, 128
    sbci r29, 0
    movw r24, r28
    pop r31
    pop r30
    stack_get
    adiw r28, 1
    movw r26, r28
    rjmp passes

sum:                            ; state += window, which is wiped
    movw r30, r28
    subi r30, lo8(-WINDOW)
    sbci r31, hi8(-WINDOW)
    ld r27, Z
    ldd r26, Z+1
    clr r1
    ldi T, 8
1:
    .irp n, 0,1,2,3,4,5,6,7
    ld r0, X
    ld r2, Y
    add_byte \n, r0, r2
    st X+, r0
    st Y+, r1
    .endr
    dec T
    brne 1b
    ldi T, (WINDOW - 64) / 8
2:
    .rept 8
    st Y+, r1
    .endr
    dec T
    brne 2b
    frame_leave 2
kernel_end selo_sha512_compress

#endif
#endif
