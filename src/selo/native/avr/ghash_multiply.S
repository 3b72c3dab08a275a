#ifdef __AVR__ /* other targets compile nothing */
; selo_ghash_multiply: the multiplication of GHASH [SP800-38D, 6.3].
;
;   void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16])
;                            r25:r24, r23:r22
;
; 3,777 cycles, call and return included. 1,232 bytes of flash, twice those of C, which
; SELO_NATIVE_GHASH=0 keeps; 68 bytes of stack with the return address, wiped.
;
; Karatsuba's three products of 8 bytes; each takes all bits of one place in their bytes
; together, adds the key at eight byte offsets and then shifts once, so that the sum of 16
; bytes and the key stay in registers. The middle product and the outer ones meet in the
; registers from which the reduction by x^128 = 1 + x + x^2 + x^7 begins; a product of
; bytes by 2^(8 - k) is a shift by k with what falls out.
; Karatsuba with the block-comb, and the same work whether a bit is set or not, are of
; [SEOKIM2020]; the reduction and how the two ways are made equal are written here.
;
; Time: whether the key is added depends on a bit of the hash, which is secret. Both ways
; take 10 cycles: brne taken (2) and eight eor, or brne not taken (1), a call of a ret (7)
; and a jump (2). Where a return address has three bytes the call takes longer, and other
; instructions wait as long. The chip has no cache and predicts nothing, and the test compares the
; cycles. They do different things in those cycles: whoever measures the chip's current
; needs other protection, as with the rest of this library.
; Proved by tests/avr/test_ghash.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_GHASH

#include "kernel.inc"

#define S 2  /* sum: sixteen registers from here on */
#define K 18 /* key: eight */
#define MASK r26
#define BYTE r27

; the key added from byte \i of the sum on, if this bit of byte \i at Y is set
.macro comb i
    ldd BYTE, Y+\i
    and BYTE, MASK
    brne 8f
#ifdef __AVR_3_BYTE_PC__
    lpm BYTE, Z
    lpm BYTE, Z
    nop
#else
    rcall nothing
#endif
    rjmp 9f
8:
    .irp n, 0,1,2,3,4,5,6,7
    eor S + \i + \n, K + \n
    .endr
9:
.endm

; h x^128, h being byte \i of the upper half, to bytes \to and \next of the hash
.macro reduce h, to, next
    eor \to, \h
    mul \h, r26
    eor \to, r1
    eor \next, r0
    mul \h, r27
    eor \to, r1
    eor \next, r0
    mul \h, r28
    eor \to, r1
    eor \next, r0
.endm

kernel selo_ghash_multiply
    save_registers
    push r24
    push r25
    push r22
    push r23
    stack_get r30, r31
    sbiw r30, 40
    stack_set r30, r31
    adiw r30, 1                 ; Z: low product, 16 bytes; high product; 8 bytes of the hash
    movw r28, r24               ; Y: hash
    movw r26, r22               ; X: key
    .irp n, 0,1,2,3,4,5,6,7
    ldd r0, Y+\n
    ldd r1, Y+8+\n
    eor r0, r1
    std Z+32+\n, r0
    .endr
    .irp n, 0,1,2,3,4,5,6,7
    ld K + \n, X+
    .endr
    rcall multiply
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    std Z+\n, S + \n
    .endr
    ldd r27, Z+40               ; X: key
    ldd r26, Z+41
    adiw r26, 8
    .irp n, 0,1,2,3,4,5,6,7
    ld K + \n, X+
    .endr
    adiw r28, 8
    rcall multiply
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    std Z+16+\n, S + \n
    .endr
    ldd r27, Z+40
    ldd r26, Z+41
    .irp n, 0,1,2,3,4,5,6,7
    ld r0, X+
    eor K + \n, r0
    .endr
    movw r28, r30
    adiw r28, 32
    rcall multiply
    .irp n, 0,1,2,3,4,5,6,7     ; bytes 8 to 23 of the product, into the sum
    ldd r0, Z+8+\n
    ldd r1, Z+16+\n
    eor r0, r1
    eor S + \n, r0
    eor S + 8 + \n, r0
    ldd r0, Z+\n
    eor S + \n, r0
    ldd r0, Z+24+\n
    eor S + 8 + \n, r0
    .endr
    ldi r26, 128
    ldi r27, 64
    ldi r28, 2
    .irp n, 7,6,5,4,3,2,1,0     ; bytes 31 to 24
    ldd r18, Z+24+\n
    reduce r18, S + \n, S + 1 + \n
    .endr
    .irp n, 0,1,2,3,4,5,6,7
    ldd 18 + \n, Z+\n
    .endr
    reduce r17, r25, r2         ; bytes 23 to 16
    reduce r16, r24, r25
    reduce r15, r23, r24
    reduce r14, r22, r23
    reduce r13, r21, r22
    reduce r12, r20, r21
    reduce r11, r19, r20
    reduce r10, r18, r19
    ldd r27, Z+42
    ldd r26, Z+43               ; X: hash
    .irp n, 18,19,20,21,22,23,24,25,2,3,4,5,6,7,8,9
    st X+, \n
    .endr
    clr r1
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19
    st Z+, r1
    st Z+, r1
    .endr
    adiw r30, 3                 ; over the pointers
    stack_set r30, r31
    restore_registers
nothing:
    ret

; sum = the 8 bytes at Y times the key
multiply:
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    clr S + \n
    .endr
    ldi MASK, 1                 ; x^7 of each byte first
1:
    comb 0
    comb 1
    comb 2
    comb 3
    comb 4
    comb 5
    comb 6
    comb 7
    lsl MASK
    brne .+2
    ret
    lsr S                       ; times x
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    ror S + \n
    .endr
    rjmp 1b
kernel_end selo_ghash_multiply

#endif
#endif
