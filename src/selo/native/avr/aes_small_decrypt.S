#ifdef __AVR__ /* other targets compile nothing */
; selo_aes_small_decrypt: one block, the key schedule made on the fly from its end backwards
; [FIPS197, 5.2, 5.3].
;
;   void selo_aes_small_decrypt(const uint8_t *last, uint8_t out[16], const uint8_t in[16],
;                               uint8_t key_size, uint8_t last_constant)
;                               r25:r24, r23:r22, r21:r20, r18, r16
;
; out may be in. Through selo_aes128_small_decrypt, 192 and 256, call and return included:
; 4,489, 5,266 and 6,228 cycles. 1,012 bytes of flash beside the S-box and its inverse; 43, 51
; and 59 bytes of stack with the return address, those with key material wiped.
;
; The state stays in registers; Nk words of the schedule stand on the stack, w[i] in slot i
; modulo Nk. A half of a round key: its later word += its first; the word before them, which
; is the later one of the next half, is read where that stood, and then, substituted where
; Nk says so, added to the first. So each word is read and written once.
; InvMixColumns as in aes_fast_decrypt.S, doubling by a mask.
;
; Time: branches depend on the key's size and on the round only. The S-boxes stand at 256-byte
; boundaries, so lpm takes 3 cycles for every index; the chip has no cache.
; Proved by tests/avr/test_aes.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_AES

#include <avr/io.h>

#include "kernel.inc"
#include "aes_state.inc"

#define H0 r20 /* the later word of the next half */
#define H1 r21
#define H2 r22
#define H3 r23
#define CONSTANT r24
#define LEFT r25 /* bytes from the first slot to the end of this half */
#define SIZE r26
#define ROUNDS r27 /* with 0x80 until the first has begun */

; the later word of a half; `place`: of its first word, from Y
.macro later_byte first, later, place, state
    ldd \first, Y+\place
    eor \later, \first
    std Y+4+\place, \later
    eor \state, \later
.endm

.macro first_byte first, place, state
    std Y+\place, \first
    eor \state, \first
.endm

.macro add_substituted to, from
    mov r30, \from
    look_up r30
    eor \to, r30
.endm

; a half of the round key; `second`: of the two that a round takes
.macro half_key place, second, a, b, c, d, e, f, g, h
    later_byte T, H0, (\place + 0), \e
    later_byte V, H1, (\place + 1), \f
    later_byte U, H2, (\place + 2), \g
    later_byte W, H3, (\place + 3), \h
    cpi LEFT, 8
    brne 1f
    movw r30, r28
    .if !\second
    adiw r30, 8
    .endif
    rcall turned
    rjmp 3f
1:
    ldd H0, Y+(\place-4)
    ldd H1, Y+(\place-3)
    ldd H2, Y+(\place-2)
    ldd H3, Y+(\place-1)
    .if \second
    brtc 2f
    rcall substituted
    rjmp 3f
2:
    .endif
    eor T, H0
    eor V, H1
    eor U, H2
    eor W, H3
3:
    first_byte T, (\place + 0), \a
    first_byte V, (\place + 1), \b
    first_byte U, (\place + 2), \c
    first_byte W, (\place + 3), \d
    subi LEFT, 8
    brne 4f
    mov LEFT, SIZE
    add r28, SIZE
    brcc 4f
    inc r29
4:
.endm

kernel selo_aes_small_decrypt
    save_registers
    push r22
    push r23
    stack_get
    sub r28, r18
    sbci r29, 0
    stack_set
    movw r26, r20               ; X: in
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    ld \n, X+
    .endr
    movw r26, r28
    adiw r26, 1
    movw r30, r24               ; Z: last
    mov LEFT, r18
1:
    .rept 4
    ld r20, Z+
    st X+, r20
    .endr
    subi LEFT, 4
    brne 1b
    mov SIZE, r18
    mov CONSTANT, r16
    mov ROUNDS, SIZE
    lsr ROUNDS
    lsr ROUNDS
    subi ROUNDS, -(0x80 + 6 + 1)
    ldi LEFT, 16                ; the last round key ends at the fourth slot for every Nk
    sbiw r28, 7                 ; Y: 16 before the slots of this half
    ldd H0, Y+20
    ldd H1, Y+21
    ldd H2, Y+22
    ldd H3, Y+23
    clt                         ; T: a substitution without turning is next; 32 bytes only
    rjmp 7f
5:
    inverse_mix_column r0, r1, r2, r3
    inverse_mix_column r4, r5, r6, r7
    inverse_mix_column r8, r9, r10, r11
    inverse_mix_column r12, r13, r14, r15
6:
    ldi r31, hi8(selo_aes_inverse_sbox)
    inverse_substitute_and_shift
7:
    half_key 16, 0, r8, r9, r10, r11, r12, r13, r14, r15
    half_key 8, 1, r0, r1, r2, r3, r4, r5, r6, r7
    sbiw r28, 16
    dec ROUNDS
    breq 9f
    brmi 8f
    rjmp 5b
8:
    andi ROUNDS, 0x7f
    rjmp 6b
9:
    stack_get r30, r31
    clr T
1:
    .irp n, 1,2,3,4,5,6,7,8
    std Z+\n, T
    .endr
    adiw r30, 8
    subi SIZE, 8
    brne 1b
    stack_set r30, r31, T
    pop r27
    pop r26
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    st X+, \n
    .endr
    clr r1
    restore_registers
    ret

; T, V, U, W += the word before, at the slots' end, turned and substituted, and the constant
turned:
    add r30, SIZE
    brcc 1f
    inc r31
1:
    ldd H0, Z+4
    ldd H1, Z+5
    ldd H2, Z+6
    ldd H3, Z+7
    ldi r31, hi8(selo_aes_sbox)
    add_substituted T, H1
    add_substituted V, H2
    add_substituted U, H3
    add_substituted W, H0
    eor T, CONSTANT
    lsr CONSTANT                ; half of it in GF(2^8), where it is a power of 2
    brcc 2f
    ldi CONSTANT, 0x80
2:
    bst SIZE, 5
    ret

; the same with a word that is not turned
substituted:
    ldi r31, hi8(selo_aes_sbox)
    add_substituted T, H0
    add_substituted V, H1
    add_substituted U, H2
    add_substituted W, H3
    clt
    ret
kernel_end selo_aes_small_decrypt

#endif
#endif
