#ifdef __AVR__ /* other targets compile nothing */
; selo_sha256_compress: the compression function of SHA-256 [FIPS180-4, 6.2.2], the fast one.
;
;   void selo_sha256_compress(uint32_t state[8], uint32_t block[16])
;                             r25:r24            r23:r22
;
; 19,652 cycles, call and return included. 1,606 bytes of flash and the 256 of the constants;
; SELO_SHA256_SMALL=1 takes sha256_compress_small.S in its place. 120 bytes of stack with the
; return address, wiped where words of the hash stood.
;
; The working variables are a window on the stack that slides down by a word each round: the
; new a is pushed in front of it, and displacements name the others. a, e and b + c (without
; carries) stay in registers from round to round: Maj(a, b, c) = b + (a + b)(b + c), whose
; a + b is b + c of the next round, so that two rounds in a row need no moves at all.
; Of the terms of a Sigma, two are a chain of shifts by one bit and the third is added by
; products with a power of two, which need no register to be rotated in.
; The schedule is a ring of 16 words in place, made for 16 rounds at a time; a step reads two of
; its words, the other two are in registers since the steps before.
; Displacements in the place of moves are of [CHENG2018]; what is done with them is written here.
;
; Time: no branch and no address depends on the state or on the block.
; Proved by tests/avr/test_sha256.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_SHA256 && !SELO_SHA256_SMALL

#include "kernel.inc"

/* Each is four registers from here on. In the rounds: */
#define A 2
#define B 6  /* b + c */
#define E 10
#define S 14 /* the round's sum */
#define T 18
#define BY_4 r22
#define BY_64 r23
#define COUNT r24
#define NIL r25
/* In the schedule, where w[t] is made of itself, w[t + 1], w[t + 9] and w[t + 14]: */
#define W0 2
#define W15 6
#define W14 10
#define U 14

#define WINDOW 96 /* bytes */

#define SHA2_SIZE 4
#define SHA2_BYTES 0,1,2,3
#include "sha2.inc"

.macro copy to, from
    movw \to, \from
    movw \to + 2, \from + 2
.endm

; Byte n of the word is in the register n + \at.
.macro left x, at
    lsl BYTE(\x, \at)
    rol BYTE(\x, \at + 1)
    rol BYTE(\x, \at + 2)
    rol BYTE(\x, \at + 3)
    adc BYTE(\x, \at), NIL
.endm

.macro right x, at, bits
    mov r0, BYTE(\x, \at)
    .rept \bits
    lsr r0
    ror BYTE(\x, \at + 3)
    ror BYTE(\x, \at + 2)
    ror BYTE(\x, \at + 1)
    ror BYTE(\x, \at)
    .endr
.endm

; One round; a + b is left in a, the new a in b.
.macro round a, b
    .irp n, 0,1,2,3
    ldd S + \n, Y+28+\n         ; h
    .endr
    .irp n, 0,1,2,3
    ld r0, X+
    add_byte \n, BYTE(S, \n), r0
    .endr
    .irp n, 0,1,2,3
    lpm r0, Z+
    add_byte \n, BYTE(S, \n), r0
    .endr
    .irp n, 0,1,2,3             ; Ch = g + e(f + g)
    ldd r0, Y+24+\n
    ldd T + \n, Y+20+\n
    eor T + \n, r0
    and T + \n, E + \n
    eor T + \n, r0
    add_byte \n, BYTE(S, \n), BYTE(T, \n)
    .endr
    copy T, E                   ; Sigma1: 6 = 8 - 2; 11 = 8 + 3; 25 = 24 + 1
    right T, 1, 2
    eor_word T, E, 2
    right T, 1, 1
    .irp n, 0,1,2,3
    mul E + \n, BY_4
    eor T + \n, r0
    eor BYTE(T, \n + 1), r1
    .endr
    add_word S, T, 1
    .irp n, 0,1,2,3             ; d becomes e
    ldd E + \n, Y+12+\n
    add_byte \n, BYTE(E, \n), BYTE(S, \n)
    std Y+12+\n, E + \n
    .endr
    copy T, \a                  ; Sigma0: 2; 13 = 16 - 3; 22 = 24 - 2
    left T, 2
    eor_word T, \a, 1
    left T, 2
    left T, 2
    .irp n, 0,1,2,3
    mul \a + \n, BY_64
    eor BYTE(T, \n + 1), r0
    eor BYTE(T, \n + 2), r1
    .endr
    add_word S, T, 2
    .irp n, 0,1,2,3
    ldd r0, Y+4+\n
    eor \a + \n, r0
    and \b + \n, \a + \n
    eor \b + \n, r0
    add_byte \n, BYTE(\b, \n), BYTE(S, \n)
    .endr
    .irp n, 3,2,1,0
    st -Y, \b + \n
    .endr
.endm

; One step of the schedule. It leaves w[t + 1] in w14: the next step's w0, w15, w14 are this
; one's w14, w0, w15, and after three of them each is where it was.
.macro step w0, w15, w14
    copy T, \w14                ; sigma1: 17 = 16 + 1; 19 = 16 + 3; shift by 10 = 8 + 2
    right T, 2, 1
    mov U + 2, \w14 + 1         ; without what two shifts would bring round
    andi U + 2, 0xfc
    eor T + 2, U + 2
    eor T + 3, \w14 + 2
    eor T + 0, \w14 + 3
    right T, 2, 1
    eor_word T, \w14, 0
    right T, 2, 1
    add_word \w0, T, 2
    .irp n, 0,1,2,3
    ld \w14 + \n, X+            ; w[t + 1]
    .endr
    .irp n, 0,1,2,3
    ld r0, Z+                   ; w[t + 9]
    add_byte \n, BYTE(\w0, \n), r0
    .endr
    copy T, \w14                ; sigma0: 7 = 8 - 1; 18 = 16 + 2; shift by 3 = 1 + 2
    lsr T + 3
    ror T + 2
    ror T + 1
    ror T
    andi T, 0xfc
    eor_word T, \w14, 2
    right T, 0, 2
    copy U, \w14
    left U, 1
    eor_word T, U, 1
    add_word \w0, T, 0
    .irp n, 0,1,2,3
    st Y+, \w0 + \n
    .endr
.endm

kernel selo_sha256_compress
    frame_enter WINDOW, , r24, r25 ; Y: the window
    movw r26, r24               ; X: state
    movw r30, r22
    ldi COUNT, 16
1:                              ; words from big-endian bytes
    ld r3, Z
    ldd r2, Z+1
    ldd r1, Z+2
    ldd r0, Z+3
    st Z+, r0
    st Z+, r1
    st Z+, r2
    st Z+, r3
    dec COUNT
    brne 1b
    clr NIL
    ldi r30, lo8(selo_sha256_constants)
    ldi r31, hi8(selo_sha256_constants)

passes:                         ; the state, or the window's lower end, to its upper end
    subi r28, lo8(-64)
    sbci r29, hi8(-64)
    .irp n, 0,1,2,3
    ld A + \n, X+
    std Y+\n, A + \n
    .endr
    .irp n, 0,1,2,3
    ld B + \n, X+
    std Y+4+\n, B + \n
    .endr
    .irp n, 0,1,2,3
    ld r0, X+
    std Y+8+\n, r0
    eor B + \n, r0
    .endr
    .irp n, 12,13,14,15
    ld r0, X+
    std Y+\n, r0
    .endr
    .irp n, 0,1,2,3
    ld E + \n, X+
    std Y+16+\n, E + \n
    .endr
    .irp n, 20,21,22,23,24,25,26,27,28,29,30,31
    ld r0, X+
    std Y+\n, r0
    .endr
    movw r26, r22
    ldi BY_4, 4
    ldi BY_64, 64
    ldi COUNT, 8
rounds:
    round A, B
    round B, A
    dec COUNT
    breq 2f
    rjmp rounds
2:
    cpi r30, lo8(selo_sha256_constants + 256)
    brne 3f
    rjmp sum
3:
    push r30
    push r31
    subi r26, 64
    sbci r27, 0
    movw r28, r26
    .irp n, 0,1,2,3
    ldd W14 + \n, Y+56+\n
    ldd W15 + \n, Y+60+\n
    ld W0 + \n, X+
    .endr
    movw r30, r28               ; X: w[t + 1], Y: w[t], Z: w[t + 9]
    adiw r30, 36
    ldi COUNT, 6
steps:
    step W0, W15, W14
    dec COUNT
    brne 4f
    rjmp made                   ; t = 15
4:
    cpi COUNT, 3
    brne 5f
    subi r30, 64                ; t = 6: the next w[t + 9] is w[0]
    sbci r31, 0
5:
    step W14, W0, W15
    step W15, W14, W0
    cpi COUNT, 1
    breq 6f
    rjmp steps
6:
    subi r26, 64                ; t = 14: and so is w[t + 1]
    sbci r27, 0
    rjmp steps
made:
    sbiw r26, 4
    movw r22, r26
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
    ldi COUNT, 8
7:
    .irp n, 0,1,2,3
    ld r0, X
    ld r2, Y
    add_byte \n, r0, r2
    st X+, r0
    st Y+, NIL
    .endr
    dec COUNT
    brne 7b
    ldi COUNT, (WINDOW - 32) / 8
8:
    .rept 8
    st Y+, NIL
    .endr
    dec COUNT
    brne 8b
    clr r1
    frame_leave 2
kernel_end selo_sha256_compress

#endif
#endif
