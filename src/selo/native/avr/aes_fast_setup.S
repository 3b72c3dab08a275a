#ifdef __AVR__ /* others compile nothing of it */
; selo_aes_fast_setup: the key schedule in RAM [FIPS197, 5.2].
;
;   void selo_aes_fast_setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size)
;                            r25:r24, r23:r22, r20
;
; Through selo_aes128_fast_setup, 192 and 256, call and return included: 824, 1,550 and
; 1,853 cycles. 338 bytes of flash beside the S-box; 10, 4 and 4 bytes of stack with the
; return address.
;
; AES-128 keeps all 16 bytes in registers, so that a word costs four additions and four
; stores. The longer keys keep the last word, and read w[i - Nk] where it was written.
;
; Time: branches depend on the key's size and on round constants only; the S-box stands at
; a 256-byte boundary.
; Proved by tests/avr/test_aes.c and by the official vectors (selo lab check).

#include "../native.h"

#if SELO_NATIVE_AES

#include "kernel.inc"

#define CONSTANT r22
#define TEMPORARY r23

; to += S-box(from)
.macro add_substituted to, from
    mov r30, \from
    lpm TEMPORARY, Z
    eor \to, TEMPORARY
.endm

; the next round constant
.macro next_constant
    lsl CONSTANT
    brcc 9f
    ldi CONSTANT, 0x1b
9:
.endm

; a word += the word before, and stored
.macro add_word a, b, c, d, e, f, g, h
    eor \a, \e
    eor \b, \f
    eor \c, \g
    eor \d, \h
    st X+, \a
    st X+, \b
    st X+, \c
    st X+, \d
.endm

kernel selo_aes_fast_setup
    movw r26, r24               ; X: to the schedule
    movw r30, r22               ; Z: raw
    ldi CONSTANT, 1
    cpi r20, 16
    breq .+2
    rjmp 5f

    push_range 10, 15
    .irp n, 10,11,12,13,14,15,0,1,18,19,20,21,24,25
    ld r\n, Z+
    st X+, r\n
    .endr
    push r16
    push r17
    ld r16, Z+
    st X+, r16
    ld r17, Z+
    st X+, r17
    ldi r31, hi8(selo_aes_sbox)
1:
    add_substituted r10, r25
    eor r10, CONSTANT
    add_substituted r11, r16
    add_substituted r12, r17
    add_substituted r13, r24
    st X+, r10
    st X+, r11
    st X+, r12
    st X+, r13
    add_word r14, r15, r0, r1, r10, r11, r12, r13
    add_word r18, r19, r20, r21, r14, r15, r0, r1
    add_word r24, r25, r16, r17, r18, r19, r20, r21
    next_constant
    cpi CONSTANT, 0x6c          ; after 0x36, the tenth
    brne 1b
    pop r17
    pop r16
    pop_range 10, 15
    clr r1
    ret

; Nk of 6 or 8. r18, r19, r0, r21: the word before; r25: words from one substitution to the
; next; r24: words to make; T: the substitution rotates.
5:
    push r28
    push r29
    movw r28, r24               ; Y: w[i - Nk]
    mov r25, r20
6:
    ld r18, Z+
    st X+, r18
    ld r19, Z+
    st X+, r19
    ld r0, Z+
    st X+, r0
    ld r21, Z+
    st X+, r21
    subi r25, 4
    brne 6b
    ldi r31, hi8(selo_aes_sbox)
    ldi r24, 46
    cpi r20, 24
    breq 7f
    ldi r24, 52
7:
    set
8:
    mov r30, r18
    lpm r18, Z
    mov r30, r19
    lpm r19, Z
    mov r30, r0
    lpm r0, Z
    mov r30, r21
    lpm r21, Z
    ldi r25, 4
    brtc 2f
    mov TEMPORARY, r18
    mov r18, r19
    eor r18, CONSTANT
    mov r19, r0
    mov r0, r21
    mov r21, TEMPORARY
    next_constant
    ldi r25, 6
    cpi r20, 24
    breq 3f
    ldi r25, 4
    clt
    rjmp 3f
2:
    set
3:
    .irp n, 18,19,0,21
    ld TEMPORARY, Y+
    eor r\n, TEMPORARY
    st X+, r\n
    .endr
    dec r24
    breq 4f
    dec r25
    brne 3b
    rjmp 8b
4:
    pop r29
    pop r28
    ret
kernel_end selo_aes_fast_setup

#endif
#endif
