/*
 * The multiplication by a constant of X25519's ladder on AVR.
 *
 *   void selo_field25519_add_121666_avr(uint8_t a[32], const uint8_t b[32]);
 *
 * a = a + 121666 b modulo 2^255 - 19, any a and b, which must be apart;
 * a < 2^255 + 3 * 2^248.
 *
 * Cost of selo_field25519_add_121666_avr: 873 cycles, 5 bytes of stack.
 *
 * The technique is that of field_add_121666.c. No branch, no address and no cycle depends on
 * a or b. Proved by tests/avr/field.sh.
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_X25519

#include "x25519_product.inc"

    .section .text.selo_field25519_add_121666_avr, "ax", @progbits

/*
 * 121666 is 66 + 219 * 2^8 + 2^16. One pass: the quotient by 2^255 comes first, from the
 * highest bytes (the bounds stand in field_add_121666.c), and 19 times it is what the lowest
 * byte begins with. Three bytes a turn, after which the registers have their roles again.
 *
 * r18-r20: the sum, rotating; r21-r23: the last three bytes of b, rotating; r24 = 66,
 * r25 = 219, r26: turns, r27 = 0.
 */
    .macro byte c0, c1, c2, b0, b1, b2
        ld \b0, Z+
        mul \b0, r24
        add \c0, r0
        adc \c1, r1
        adc \c2, r27
        mul \b1, r25
        add \c0, r0
        adc \c1, r1
        adc \c2, r27
        add \c0, \b2
        ld r0, Y
        adc \c1, r27
        adc \c2, r27
        add \c0, r0
        adc \c1, r27
        adc \c2, r27
        st Y+, \c0
        clr \c0
    .endm

entry selo_x25519_add_121666 /* Y: a, Z: b; uses r0, r1, r18-r27, Y, Z */
    ldi r24, 66
    ldi r25, 219
    clr r27
    ldd r21, Z + 31
    ldd r22, Z + 30
    ldd r23, Z + 29
    /* r19, r18: the carry of byte 30, a30 + 66 b30 + 219 b29 */
    mul r22, r24
    movw r18, r0
    mul r23, r25
    clr r20
    add r18, r0
    adc r19, r1
    adc r20, r27
    ldd r0, Y + 30
    add r18, r0
    adc r19, r27
    adc r20, r27
    mov r18, r19
    mov r19, r20
    clr r20
    /* byte 31: + a31 + 66 b31 + 219 b30 + b29 */
    mul r21, r24
    add r18, r0
    adc r19, r1
    adc r20, r27
    mul r22, r25
    add r18, r0
    adc r19, r1
    adc r20, r27
    ldd r0, Y + 31
    add r18, r0
    adc r19, r27
    adc r20, r27
    add r18, r23
    adc r19, r27
    adc r20, r27
    /* r20, r19 += 219 b31 + b30 + 256 b31; then twice that and bit 255 */
    mul r21, r25
    clr r26
    add r19, r0
    adc r20, r1
    adc r26, r27
    add r19, r22
    adc r20, r21
    adc r26, r27
    lsl r18
    rol r19
    rol r20
    rol r26
    push r19                        /* its lowest bit: whether bit 255 changes */
    /* 19 times it, below 2^23: r18-r20 */
    ldi r22, 19
    mul r26, r22
    mov r23, r0
    mul r20, r22
    mov r20, r23
    movw r22, r0
    ldi r26, 19
    mul r19, r26
    movw r18, r0
    add r19, r22
    adc r20, r23
    clr r22
    clr r23
    ldi r26, 10
1:
    byte 18, 19, 20, 21, 22, 23
    byte 19, 20, 18, 23, 21, 22
    byte 20, 18, 19, 22, 23, 21
    dec r26
    brne 1b
    byte 18, 19, 20, 21, 22, 23
    byte 19, 20, 18, 23, 21, 22
    pop r0
    lsr r0
    sbc r20, r20
    andi r20, 0x80
    ld r0, -Y
    eor r0, r20
    st Y, r0
    ret
kernel_end selo_x25519_add_121666

entry selo_field25519_add_121666_avr
    push YL
    push YH
    movw YL, r24
    movw ZL, r22
    rcall selo_x25519_add_121666
    clr r1
    pop YH
    pop YL
    ret
kernel_end selo_field25519_add_121666_avr

#endif
