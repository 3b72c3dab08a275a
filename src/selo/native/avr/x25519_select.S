/*
 * The choice between two points of X25519 on AVR.
 *
 *   void selo_field25519_select_avr(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
 *                                   uint8_t choice);
 *
 * r = a if choice is 0, b if it is 1. r may be a or b. The same instructions and
 * addresses for both.
 *
 * Cost of selo_field25519_select_avr: 648 cycles, 2 bytes of stack.
 *
 * Proved by tests/avr/field.sh.
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_X25519

#include "x25519_product.inc"

kernel selo_field25519_select_avr
    push YL
    push YH
    movw XL, r24
    movw YL, r22
    movw ZL, r20
    neg r18                 /* the mask */
    ldi r19, 8
1:
    .set K, 0
    .rept 8
        ldd r20, Y + K
        ldd r21, Z + K
        eor r21, r20
        and r21, r18
        eor r21, r20
        st X+, r21
        .set K, K + 1
    .endr
    adiw YL, 8
    adiw ZL, 8
    dec r19
    brne 1b
    pop YH
    pop YL
    ret
kernel_end selo_field25519_select_avr

#endif
