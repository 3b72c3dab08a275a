#ifdef __AVR__ /* other targets compile nothing */
; selo_aes_small_setup: the key, and the words of its schedule where decryption starts
; [FIPS197, 5.2].
;
;   void selo_aes_small_setup(uint8_t *first, uint8_t *last, const uint8_t *raw,
;                             uint8_t key_size)
;                             r25:r24, r23:r22, r21:r20, r18
;
; Through selo_aes128_small_setup, 192 and 256, call and return included: 1,522, 1,751 and 2,098
; cycles. 176 bytes of flash beside the S-box; 4 bytes of stack with the return address.
;
; The slots of the last Nk words are `last` itself, so that nothing is copied and nothing of
; the key comes to the stack. The last word stays in registers; slots are made two at a time,
; because only between pairs can a turned or substituted word stand.
;
; Time: branches depend on the key's size and on round constants only. The S-box stands at a
; 256-byte boundary, so lpm takes 3 cycles for every index; the chip has no cache.
; Proved by tests/avr/test_aes.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_AES

#include "kernel.inc"
#include "aes_state.inc"

#define SIZE r18
#define CONSTANT r19
#define L0 r20 /* the last word */
#define L1 r21
#define L2 r24
#define L3 r25
#define LEFT r22 /* bytes of the slots to the end, and 8 */
#define PAIRS r23

.macro key_byte last
    ld r30, X
    eor \last, r30
    st X+, \last
.endm

kernel selo_aes_small_setup
    movw r26, r24               ; X: first
    movw r30, r20               ; Z: raw
    rcall 6f
    sub r30, SIZE
    sbci r31, 0
    movw r26, r22               ; X: last
    rcall 6f
    ld L3, -X
    ld L2, -X
    ld L1, -X
    ld L0, -X
    adiw r26, 4
    ldi r31, hi8(selo_aes_sbox)
    ldi CONSTANT, 1
    ldi LEFT, 8
    mov PAIRS, SIZE
    lsr PAIRS
    subi PAIRS, -14             ; 4 (Nk + 7) words: Nk of them beyond the schedule
    bst SIZE, 5                 ; T: 32 bytes
1:
    subi LEFT, 8
    breq 4f
    cpi LEFT, 16
    brne 2f
    brtc 2f
    substitute L0, L0
    substitute L1, L1
    substitute L2, L2
    substitute L3, L3
2:
    .rept 2
    key_byte L0
    key_byte L1
    key_byte L2
    key_byte L3
    .endr
    dec PAIRS
    brne 1b
    ret
4:
    substitute r0, L0
    substitute L0, L1
    substitute L1, L2
    substitute L2, L3
    mov L3, r0
    eor L0, CONSTANT
    lsl CONSTANT
    brcc 5f
    ldi CONSTANT, 0x1b
5:
    sub r26, SIZE
    sbci r27, 0
    mov LEFT, SIZE
    rjmp 2b

; SIZE bytes from Z to X
6:
    mov CONSTANT, SIZE
7:
    .rept 4
    ld r0, Z+
    st X+, r0
    .endr
    subi CONSTANT, 4
    brne 7b
    ret
kernel_end selo_aes_small_setup

#endif
#endif
