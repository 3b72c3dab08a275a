#ifdef __AVR__ /* other targets compile nothing */
; selo_aes_tiny_encrypt: one block by a key of 24 or 32 bytes, the key schedule made on the fly
; [FIPS197, 5.1, 5.2]. aes_tiny_encrypt.S is for keys of 16.
;
;   void selo_aes_tiny_encrypt(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
;                              uint8_t key_size)
;                              r25:r24, r23:r22, r21:r20, r18
;
; out may be in. Through selo_aes192_tiny_encrypt and 256, call and return included: 4,224 and
; 5,061 cycles. 796 bytes of flash beside the S-box; 48 and 56 bytes of stack with the return
; address, those with key material wiped.
;
; The state and the last word of the schedule stay in registers; the last Nk words stand on
; the stack, w[i] in slot i modulo Nk, where each is read and replaced once in Nk. A round key
; is made in two halves, because only between those can a turned or substituted word stand,
; and only there do the slots wrap.
; The slots begin with the sums of neighbouring words of the key instead of the words: the
; first turn over the slots, which adds the word before like every other, then makes the key
; itself, so that the first round key and what is left of the key need no code of their own.
; For 32 bytes the fourth of those sums has the substitution in it, as it will be added.
;
; Time: branches depend on the key's size and on the round only. The S-box stands at a
; 256-byte boundary, so lpm takes 3 cycles for every index; the chip has no cache.
; Proved by tests/avr/test_aes.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_AES

#include <avr/io.h>

#include "kernel.inc"
#include "aes_state.inc"

#define L0 r20 /* the last word */
#define L1 r21
#define L2 r22
#define L3 r23
#define CONSTANT r24
#define LEFT r25 /* bytes of the slots to the end, and 8 */
#define SIZE r26
#define ROUNDS r27

; a byte of the schedule += the one before it in its row; added to the state
.macro key_byte last, place, state
    ldd r30, Y+1+\place
    eor \last, r30
    std Y+1+\place, \last
    eor \state, \last
.endm

.macro half_key place, a, b, c, d, e, f, g, h
    key_byte L0, (\place + 0), \a
    key_byte L1, (\place + 1), \b
    key_byte L2, (\place + 2), \c
    key_byte L3, (\place + 3), \d
    key_byte L0, (\place + 4), \e
    key_byte L1, (\place + 5), \f
    key_byte L2, (\place + 6), \g
    key_byte L3, (\place + 7), \h
.endm

; a sum of neighbours in its slot
.macro first_sum last, place
    ld T, X+
    eor \last, T
    std Y+1+\place, \last
    mov \last, T
.endm

kernel selo_aes_tiny_encrypt
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
    movw r26, r24               ; X: key
    ldi r31, hi8(selo_aes_sbox)
    clr L0
    clr L1
    movw L2, L0
    mov LEFT, r18
    bst r18, 5                  ; T: a substitution without turning is next; 32 bytes only
1:
    first_sum L0, 0
    first_sum L1, 1
    first_sum L2, 2
    first_sum L3, 3
    adiw r28, 4
    subi LEFT, 4
    breq 2f
    cpi LEFT, 16
    brne 1b
    brtc 1b
    rcall next_word
    rjmp 1b
2:
    mov SIZE, r18
    sub r28, SIZE
    sbci r29, 0
    clr L0
    clr L1
    movw L2, L0
    mov LEFT, SIZE
    mov ROUNDS, SIZE
    lsr ROUNDS
    lsr ROUNDS
    subi ROUNDS, -6
    bst SIZE, 5
    ldi CONSTANT, 1
    rjmp 4f
3:
    substitute_and_shift
    dec ROUNDS                  ; the last round has no MixColumns
    brne .+2
    rjmp 5f
    mix_column r0, r1, r2, r3
    mix_column r4, r5, r6, r7
    mix_column r8, r9, r10, r11
    mix_column r12, r13, r14, r15
5:
    brtc .+2
    rcall next_word
    subi LEFT, 8
    brne .+2
    rcall next_word
4:
    half_key 0, r0, r1, r2, r3, r4, r5, r6, r7
    subi LEFT, 8
    brne .+2
    rcall next_word
    half_key 8, r8, r9, r10, r11, r12, r13, r14, r15
    adiw r28, 16
    cpi ROUNDS, 0
    breq 6f
    rjmp 3b
6:
    stack_get r30, r31
    clr T
7:
    .irp n, 1,2,3,4,5,6,7,8
    std Z+\n, T
    .endr
    adiw r30, 8
    subi SIZE, 8
    brne 7b
    stack_set r30, r31, T
    pop r27
    pop r26
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    st X+, \n
    .endr
    clr r1
    restore_registers
    ret

; the last word substituted; without T also turned, the constant added and Y at the first
; slot again
next_word:
    substitute L0, L0
    substitute L1, L1
    substitute L2, L2
    substitute L3, L3
    brts 8f
    mov r30, L0
    mov L0, L1
    mov L1, L2
    mov L2, L3
    mov L3, r30
    eor L0, CONSTANT
    lsl CONSTANT                ; 0x80 is the last
    sub r28, SIZE
    sbci r29, 0
    mov LEFT, SIZE
    bst SIZE, 5
    ret
8:
    clt
    ret
kernel_end selo_aes_tiny_encrypt

#endif
#endif
