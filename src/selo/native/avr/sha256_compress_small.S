#ifdef __AVR__ /* other targets compile nothing */
; selo_sha256_compress: the compression function of SHA-256 [FIPS180-4, 6.2.2], the small one.
;
;   void selo_sha256_compress(uint32_t state[8], uint32_t block[16])
;                             r25:r24            r23:r22
;
; 26,580 cycles, call and return included. 720 bytes of flash and the 256 of the constants:
; with SELO_SHA256_SMALL=1 it takes the place of sha256_compress_fast.S. 112 bytes of stack
; with the return address, wiped where words of the hash stood.
;
; As sha256_compress_fast.S has it, the working variables are a window on the stack that slides
; down by a word each round. A round stands here once and makes its word of the schedule
; itself, in the place of the one before the last 15; the words keep the bytes' order of the
; block, which only the two places that read and write them know. Of the terms of a Sigma, two
; are a chain of shifts by one bit, and the third is made where e or a stands, which is
; needed no more by then; of a sigma all three are one chain, most of it by subroutines.
;
; Time: no branch and no address depends on the state or on the block.
; Proved by tests/avr/test_sha256.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_SHA256 && SELO_SHA256_SMALL

#include "kernel.inc"

/* Each is four registers from here on. */
#define V 10 /* e, a or a word of the schedule */
#define S 18 /* the round's sum */
#define T 22
#define BLOCK r14 /* a pair */
#define WORD r16
#define AT r17    /* the round's place in the block, in bytes */
#define FIRST 10  /* of the registers to be saved */

#define WINDOW 96 /* bytes */

#define SHA2_SIZE 4
#define SHA2_BYTES 0,1,2,3
#include "sha2.inc"

; to = from rotated right by 8 \at, which is even
.macro copy to, from, at=0
    movw \to, BYTE(\from, \at)
    movw \to + 2, BYTE(\from, \at + 2)
.endm

.macro left x
    lsl \x
    rol \x + 1
    rol \x + 2
    rol \x + 3
    adc \x, r1
.endm

.macro right x, bits
    mov r0, \x
    .rept \bits
    lsr r0
    ror \x + 3
    ror \x + 2
    ror \x + 1
    ror \x
    .endr
.endm

; V = the word that stands \words after the round's; Z: there
.macro fetch words
    ldi WORD, 4 * \words
    rcall fetch_word
.endm

kernel selo_sha256_compress
    frame_enter WINDOW, FIRST, r24, r25 ; Y: the window
    movw BLOCK, r22
    movw r30, r24
    ldi r26, lo8(selo_sha256_constants)
    ldi r27, hi8(selo_sha256_constants)
    clr AT
    set                         ; T flag: the words are the block's

passes:                         ; the state, or the window's lower end, to its upper end
    subi r28, lo8(-64)
    sbci r29, hi8(-64)
    ldi WORD, 16
1:
    ld r0, Z+
    st Y+, r0
    ld r0, Z+
    st Y+, r0
    dec WORD
    brne 1b
    sbiw r28, 32

rounds:
    brtc 2f
    fetch 0
    copy S, V
    rjmp 3f
2:
    fetch 14
    copy T, V, 2                ; sigma1: 17 = 16 + 1; 19 = 16 + 3; shift by 10 = 8 + 2
    right T, 1
    mov r0, V + 1               ; without what two shifts would bring round
    ldi WORD, 0xfc
    and r0, WORD
    eor T, r0
    eor T + 1, V + 2
    eor T + 2, V + 3
    rcall right_1
    eor_word T, V, 2
    rcall right_1
    copy S, T
    fetch 9
    add_word S, V
    fetch 1
    copy T, V                   ; sigma0: 7 = 8 - 1; 18 = 16 + 2; shift by 3 = 1 + 3 - 1
    andi T, 0xf8
    rcall right_1
    eor_word T, V, 2
    rcall right_3
    eor_word T, V, 1
    left T
    add_word S, T
    fetch 0
    add_word S, V
    .irp n, 0,1,2,3
    std Z+3-\n, S + \n
    .endr
3:
    .irp n, 0,1,2,3             ; h
    ldd r0, Y+28+\n
    add_byte \n, S + \n, r0
    .endr
    movw r30, r26
    .irp n, 0,1,2,3
    lpm r0, Z+
    add_byte \n, S + \n, r0
    .endr
    movw r26, r30
    load V, 16                  ; e
    .irp n, 0,1,2,3             ; Ch = g + e(f + g)
    ldd r0, Y+24+\n
    ldd WORD, Y+20+\n
    eor WORD, r0
    and WORD, V + \n
    eor WORD, r0
    add_byte \n, S + \n, WORD
    .endr
    copy T, V                   ; Sigma1: 6 = 8 - 2; 11 = 8 + 3; 25 = 24 + 1
    right T, 2
    eor_word T, V, 2
    right T, 1
    left V
    left V
    eor_word T, V, 0
    add_word S, T, 1
    .irp n, 0,1,2,3             ; d becomes e
    ldd r0, Y+12+\n
    add_byte \n, r0, S + \n
    std Y+12+\n, r0
    .endr
    load V, 0                   ; a
    copy T, V
    .irp n, 0,1,2,3             ; Maj = b + (a + b)(b + c)
    ldd r0, Y+4+\n
    ldd WORD, Y+8+\n
    eor T + \n, r0
    eor WORD, r0
    and WORD, T + \n
    eor WORD, r0
    add_byte \n, S + \n, WORD
    .endr
    copy T, V, 2                ; Sigma0: 2; 13 = 16 - 3; 22 = 24 - 2
    left T
    eor_word T, V, 3
    left T
    left T
    right V, 2
    eor_word T, V, 0
    add_word S, T
    .irp n, 3,2,1,0
    st -Y, S + \n
    .endr
    subi AT, -4
    andi AT, 63
    breq 4f
    rjmp rounds
4:
    clt
    movw r30, r28
    cpi r26, lo8(selo_sha256_constants + 256)
    breq sum
    rjmp passes

sum:                            ; state += window, which is wiped
    subi r30, lo8(-WINDOW)
    sbci r31, hi8(-WINDOW)
    ld r27, Z
    ldd r26, Z+1
    ldi AT, 8
5:
    ldi WORD, 4
    clc
6:
    ld r0, X
    ld r18, Y
    adc r0, r18
    st X+, r0
    st Y+, r1
    dec WORD
    brne 6b
    dec AT
    brne 5b
    ldi WORD, WINDOW - 32
7:
    st Y+, r1
    dec WORD
    brne 7b
    frame_leave 2, FIRST

fetch_word:
    add WORD, AT
    andi WORD, 63
    movw r30, BLOCK
    add r30, WORD
    adc r31, r1
    .irp n, 0,1,2,3
    ldd V + \n, Z+3-\n
    .endr
    ret

right_3:
    right T, 1
right_2:
    right T, 1
right_1:
    right T, 1
    ret
kernel_end selo_sha256_compress

#endif
#endif
