#ifdef __AVR__ /* other targets compile nothing */
; selo_aes128_tiny_block: one block, the key schedule made on the fly [FIPS197, 5.1, 5.2].
;
;   void selo_aes128_tiny_block(const uint8_t key[16], uint8_t out[16], const uint8_t in[16])
;                               r25:r24, r23:r22, r21:r20
;
; out may be in. Through selo_aes128_tiny_encrypt, call and return included: 2,898 cycles.
; 718 bytes of flash beside the S-box, 278 less than C; 31 bytes of stack with the return
; address, those with the round key wiped.
;
; The state and seven bytes of the round key stay in registers, the other nine on the stack.
; The words of the round key are made in their order, each from the one before in four
; registers, and added to the state as they come. Among the seven bytes in registers is the
; last word, from which the next round key begins, so it is never loaded.
; MixColumns as in aes_fast_encrypt.S.
;
; Time: branches depend on the round only. The S-box stands at a 256-byte boundary, so lpm
; takes 3 cycles for every index; the chip has no cache.
; Proved by tests/avr/test_aes.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_AES

#include <avr/io.h>

#include "kernel.inc"
#include "aes_state.inc"

#define K9  r24
#define K10 r26
#define K11 r27
#define K12 r20
#define K13 r21
#define K14 r22
#define K15 r23
#define CONSTANT r25

; byte \index of the round key, on the stack, += the byte before it in its row, in \before,
; where it stays; added to the state
.macro key_byte before, index
    ldd r30, Y+1+\index
    eor \before, r30
    std Y+1+\index, \before
    eor \index, \before
.endm

; the same where it stands in a register
.macro key_register before, key, index
    eor \key, \before
    eor \index, \key
.endm

kernel selo_aes128_tiny_block
    save_registers
    push r22
    push r23
    stack_get
    sbiw r28, 9
    stack_set
    movw r26, r20               ; X: in
    movw r30, r24               ; Z: key
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    ld \n, X+
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8
    ld T, Z+
    std Y+1+\n, T
    eor \n, T
    .endr
    ld K9, Z+
    ld K10, Z+
    ld K11, Z+
    ld K12, Z+
    ld K13, Z+
    ld K14, Z+
    ld K15, Z
    eor r9, K9
    eor r10, K10
    eor r11, K11
    eor r12, K12
    eor r13, K13
    eor r14, K14
    eor r15, K15
    ldi CONSTANT, 1
    ldi r31, hi8(selo_aes_sbox)
1:
    substitute_and_shift
    cpi CONSTANT, 0x36          ; the last round has no MixColumns
    brne .+2
    rjmp 2f
    mix_column r0, r1, r2, r3
    mix_column r4, r5, r6, r7
    mix_column r8, r9, r10, r11
    mix_column r12, r13, r14, r15
2:
    substitute T, K13
    eor T, CONSTANT
    substitute V, K14
    substitute U, K15
    substitute W, K12
    key_byte T, 0
    key_byte V, 1
    key_byte U, 2
    key_byte W, 3
    key_byte T, 4
    key_byte V, 5
    key_byte U, 6
    key_byte W, 7
    key_byte T, 8
    key_register V, K9, 9
    key_register U, K10, 10
    key_register W, K11, 11
    key_register T, K12, 12
    key_register K9, K13, 13
    key_register K10, K14, 14
    key_register K11, K15, 15
    lsl CONSTANT
    brcc 3f
    ldi CONSTANT, 0x1b
3:
    cpi CONSTANT, 0x6c          ; after 0x36
    breq 4f
    rjmp 1b
4:
    clr T
    .irp n, 1,2,3,4,5,6,7,8,9
    std Y+\n, T
    .endr
    adiw r28, 9
    stack_set r28, r29, T
    pop r27
    pop r26
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    st X+, \n
    .endr
    clr r1
    restore_registers
    ret
kernel_end selo_aes128_tiny_block

#endif
#endif
