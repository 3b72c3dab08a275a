/*
 * Subtraction of field elements for X25519 on AVR.
 *
 *   void selo_field25519_subtract_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a - b modulo 2^255 - 19, any a and b, r < 2^255 + 2^248. r may be a or b.
 *
 * Cost of selo_field25519_subtract_avr: 405 cycles, 4 bytes of stack.
 *
 * The technique is that of field_subtract.c. No branch, no address and no cycle depends on a
 * or b. Proved by tests/avr/field.sh.
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_X25519

#include "x25519_product.inc"

    .section .text.selo_field25519_subtract_avr, "ax", @progbits

/*
 * The difference of x25519_butterfly.S alone, four bytes at a time: r18-r21 are
 * those, r22 what goes into the next four, r23 scratch, r24 whether bit 255 changes.
 */
entry selo_x25519_subtract /* X: r, Y: a, Z: b; uses r0, r18-r27, r1 = 0 after it */
    ldd r18, Y + 31
    ldd r19, Z + 31
    sub r18, r19
    sbc r19, r19
    subi r18, lo8(-510)
    sbci r19, hi8(-510)
    lsl r18
    rol r19
    ldi r23, 19
    mul r19, r23
    mov r22, r0
    subi r22, 76
    mov r24, r19
    lsr r24
    sbc r24, r24
    andi r24, 0x80
    clr r1
    ldi r25, 8
1:
    load 18, 4, Y, 0
    mov r23, r22
    lsl r23
    sbc r23, r23
    add r18, r22
    adc r19, r23
    adc r20, r23
    adc r21, r23
    adc r23, r1
    mov r22, r23
    .set I, 0
    .rept 4
        ldd r0, Z + I
        .if I == 0
            sub r18, r0
        .else
            sbc 18 + I, r0
        .endif
        .set I, I + 1
    .endr
    sbc r22, r1
    st X+, r18
    st X+, r19
    st X+, r20
    st X+, r21
    adiw YL, 4
    adiw ZL, 4
    dec r25
    brne 1b
    eor r21, r24
    st -X, r21
    ret
kernel_end selo_x25519_subtract

entry selo_field25519_subtract_avr
    push YL
    push YH
    movw XL, r24
    movw YL, r22
    movw ZL, r20
    rcall selo_x25519_subtract
    pop YH
    pop YL
    ret
kernel_end selo_field25519_subtract_avr

#endif
