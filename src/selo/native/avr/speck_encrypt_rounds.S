#ifdef __AVR__ /* other targets compile nothing */
; selo_speck_encrypt_rounds: Speck128 under ready round keys [SPECK2013, 4.1].
;
;   void selo_speck_encrypt_rounds(const uint8_t *round_keys, uint8_t out[16],
;                                  const uint8_t in[16], uint8_t rounds)
;                                  r25:r24, r23:r22, r21:r20, r18
;
; out may be in; rounds is 32, 33 or 34. Through selo_speck128_fast_encrypt, call and
; return included: 2,285 cycles (selo_speck256_fast_encrypt: 2,439). 1,136 bytes of flash,
; which SELO_NATIVE_SPECK=0 saves in part; 12 bytes of stack with the return address.
;
; Eight rounds are written out, because after eight the rotation of x by 8 bits, which is
; other names for its registers, has come around. 33 and 34 rounds begin in the seventh or
; eighth of them, with x rotated to fit.
; That rotations by bytes are free on this chip is said in [SPECK2013, 5]; so is the shape
; of the rotation by 3.
;
; Time: branches depend on the number of rounds only.
; Proved by tests/avr/test_speck.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_SPECK

#include "kernel.inc"
#include "speck.inc"

; x = (x >>> 8) + y, with the round key; y = (y <<< 3) ^ x. The bytes of x are now at
; \a to \h, from the lowest on; after it at \b to \h, \a.
.macro round a, b, c, d, e, f, g, h
    add \b, Y0
    adc \c, Y1
    adc \d, Y2
    adc \e, Y3
    adc \f, Y4
    adc \g, Y5
    adc \h, Y6
    adc \a, Y7
    .irp n, \b, \c, \d, \e, \f, \g, \h, \a
    ld r0, Z+
    eor \n, r0
    .endr
    rotate_left_3 Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7
    eor_word Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, \b, \c, \d, \e, \f, \g, \h, \a
.endm

kernel selo_speck_encrypt_rounds
    rounds_begin rotate_down
    round X0, X1, X2, X3, X4, X5, X6, X7
    round X1, X2, X3, X4, X5, X6, X7, X0
    round X2, X3, X4, X5, X6, X7, X0, X1
    round X3, X4, X5, X6, X7, X0, X1, X2
    round X4, X5, X6, X7, X0, X1, X2, X3
    round X5, X6, X7, X0, X1, X2, X3, X4
6:
    round X6, X7, X0, X1, X2, X3, X4, X5
7:
    round X7, X0, X1, X2, X3, X4, X5, X6
    rounds_end
kernel_end selo_speck_encrypt_rounds

#endif
#endif
