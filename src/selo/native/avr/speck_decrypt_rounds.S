#ifdef __AVR__ /* other targets compile nothing */
; selo_speck_decrypt_rounds: Speck128 undone under ready round keys [SPECK2013, 4.1].
;
;   void selo_speck_decrypt_rounds(const uint8_t *round_keys, uint8_t out[16],
;                                  const uint8_t in[16], uint8_t rounds)
;                                  r25:r24, r23:r22, r21:r20, r18
;
; out may be in; rounds is 32, 33 or 34. Through selo_speck128_fast_decrypt, call and
; return included: 2,355 cycles. 1,178 bytes of flash, which SELO_NATIVE_SPECK=0 saves in
; part; 12 bytes of stack with the return address.
;
; As speck_encrypt_rounds.S: eight rounds are written out, and 33 and 34 begin in the eighth
; or seventh of them. The rotation by 3 shifts, and adds the three bits that fell out.
;
; Time: branches depend on the number of rounds only.
; Proved by tests/avr/test_speck.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_SPECK

#include "kernel.inc"
#include "speck.inc"

; y = (y ^ x) >>> 3; x = ((x ^ k) - y) <<< 8. The bytes of x are at \a to \h, from the
; lowest on; after it at \h, \a to \g. Z: behind the round key, read backwards.
.macro round a, b, c, d, e, f, g, h
    eor_word Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, \a, \b, \c, \d, \e, \f, \g, \h
    mov r27, Y0
    swap r27
    lsl r27
    andi r27, 0xe0
    rotate_right_3 r27, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7
    .irp n, \h, \g, \f, \e, \d, \c, \b, \a
    ld r0, -Z
    eor \n, r0
    .endr
    sub \a, Y0
    sbc \b, Y1
    sbc \c, Y2
    sbc \d, Y3
    sbc \e, Y4
    sbc \f, Y5
    sbc \g, Y6
    sbc \h, Y7
.endm

kernel selo_speck_decrypt_rounds
    ldi r19, 8                  ; behind the last round key
    mul r18, r19
    add r24, r0
    adc r25, r1
    clr r1
    rounds_begin rotate_up
    round X0, X1, X2, X3, X4, X5, X6, X7
    round X7, X0, X1, X2, X3, X4, X5, X6
    round X6, X7, X0, X1, X2, X3, X4, X5
    round X5, X6, X7, X0, X1, X2, X3, X4
    round X4, X5, X6, X7, X0, X1, X2, X3
    round X3, X4, X5, X6, X7, X0, X1, X2
6:
    round X2, X3, X4, X5, X6, X7, X0, X1
7:
    round X1, X2, X3, X4, X5, X6, X7, X0
    rounds_end
kernel_end selo_speck_decrypt_rounds

#endif
#endif
