#ifdef __AVR__ /* other targets compile nothing */
; selo_mlkem_multiply_add: adds the product of four coefficients of two transformed polynomials
; [FIPS203, algorithms 11 and 12].
;
;   void selo_mlkem_multiply_add(int16_t sum[4], const uint8_t a[6], const uint8_t b[6], uint8_t quad)
;                                r25:r24         r23:r22             r21:r20             r18
;
; 463 cycles, call and return included. 388 bytes of flash, 20 bytes of stack with the return
; address.
;
; All products are of numbers of 12 bits, so four multiplications and no sign make one. Two products
; are added before their sum is reduced. mlkem_multiply_add.c has the bounds.
;
; Time: no branch and no address depends on a or b.
; Proved by tests/avr/test_mlkem.c and by the official vectors (tests/avr/mlkem.sh).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_MLKEM

#include "kernel.inc"

; pairs
#define A0 r2
#define A1 r4
#define B0 r6
#define B1 r8
#define ZETA r14
; r13 to r10: a sum of products
#define ZERO r16
#define THIRTEEN r17
#define TURNED r18 /* a pair */

; The pairs at \even and \odd = the two numbers of 12 bits of the next three bytes.
.macro unpack pointer, even_low, even_high, odd_low, odd_high
    ld \even_low, \pointer
    ld r20, \pointer
    ld r21, \pointer
    mov r22, r20
    andi r22, 15
    mov \even_high, r22
    swap r20
    andi r20, 15
    swap r21
    mov r22, r21
    andi r22, 0xf0
    or r20, r22
    mov \odd_low, r20
    andi r21, 15
    mov \odd_high, r21
.endm

; r13:r10 = a product of two pairs
.macro multiply a_low, a_high, b_low, b_high
    mul \a_low, \b_low
    movw r10, r0
    mul \a_high, \b_high
    movw r12, r0
    cross \a_low, \a_high, \b_low, \b_high
.endm

; r13:r10 += a product of two pairs
.macro multiply_and_add a_low, a_high, b_low, b_high
    mul \a_low, \b_low
    add r10, r0
    adc r11, r1
    adc r12, ZERO
    adc r13, ZERO
    mul \a_high, \b_high
    add r12, r0
    adc r13, r1
    cross \a_low, \a_high, \b_low, \b_high
.endm

.macro cross a_low, a_high, b_low, b_high
    mul \a_low, \b_high
    add r11, r0
    adc r12, r1
    adc r13, ZERO
    mul \a_high, \b_low
    add r11, r0
    adc r12, r1
    adc r13, ZERO
.endm

; r13:r12 = r13:r10 / 2^16 modulo q (mlkem.inc)
.macro reduce
    mul r10, THIRTEEN
    sub r11, r0
    sbc r12, r1
    sbc r13, ZERO
    mul r11, THIRTEEN
    sub r12, r0
    sbc r13, r1
.endm

.macro add_to_sum
    ld r20, Y
    ldd r21, Y+1
    add r20, r12
    adc r21, r13
    st Y+, r20
    st Y+, r21
.endm

kernel selo_mlkem_multiply_add
    save_registers
    movw r28, r24
    movw r26, r22
    clr ZERO
    ldi THIRTEEN, 13
    ldi r30, lo8(selo_mlkem_zetas + 128)
    ldi r31, hi8(selo_mlkem_zetas + 128)
    add r30, r18
    adc r31, ZERO
    add r30, r18
    adc r31, ZERO
    lpm r14, Z+
    lpm r15, Z
    movw r30, r20
    ldi r23, 2
1:
    unpack X+, r2, r3, r4, r5
    unpack Z+, r6, r7, r8, r9
    multiply r4, r5, r8, r9
    reduce
    movw TURNED, r12
    subi r18, lo8(-3329)
    sbci r19, hi8(-3329)
    multiply r2, r3, r6, r7
    multiply_and_add r18, r19, r14, r15
    reduce
    add_to_sum
    multiply r2, r3, r8, r9
    multiply_and_add r4, r5, r6, r7
    reduce
    add_to_sum
    ldi r20, lo8(3329)          ; the other factor has -z
    ldi r21, hi8(3329)
    sub r20, r14
    sbc r21, r15
    movw ZETA, r20
    dec r23
    breq 2f
    rjmp 1b
2:
    clr r1
    restore_registers
    ret
kernel_end selo_mlkem_multiply_add

#endif
#endif
