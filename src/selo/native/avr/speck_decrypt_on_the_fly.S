#ifdef __AVR__ /* other targets compile nothing */
; selo_speck_decrypt_on_the_fly: Speck128 undone, the schedule run backwards from its last
; material [SPECK2013, 4.1, 4.2].
;
;   void selo_speck_decrypt_on_the_fly(const uint8_t *last, uint8_t out[16],
;                                      const uint8_t in[16], uint8_t words)
;                                      r25:r24, r23:r22, r21:r20, r18
;
; out may be in; words is 2, 3 or 4. Through selo_speck128_small_decrypt, call and return
; included: 5,223 cycles (192: 5,425; 256: 5,637).
; 514 bytes of flash; 30, 38 or 46 bytes of stack with the return address.
;
; As speck_encrypt_on_the_fly.S, in the other direction; the words l stand the other way
; around on the stack, so that the last of them is the first. The three bits that fall out
; of a rotation are those of a product by 32.
;
; Time: branches depend on the number of words only.
; Stack: the words l are wiped.
; Proved by tests/avr/test_speck.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_SPECK

#include "kernel.inc"
#include "speck.inc"

; byte `place` of l, which is in \from without its byte of the round key and the borrow,
; to the place above; the byte there to \to
.macro pass place, key, from, to
    sbc \from, \key
    ldd \to, Y+7-\place
    std Y+7-\place, \from
.endm

kernel selo_speck_decrypt_on_the_fly
    fly_begin 0
    ldi r30, 32
    rjmp 2f
1:
    .irp n, 4,5,6,7,8,9         ; k = (k ^ l) >>> 3
    ldd r27, Y+10-\n
    eor r\n, r27
    .endr
    ldd r27, Y+8
    eor K0, r27
    mul K0, r30
    ldd r1, Y+7
    eor K1, r1
    rotate_right_3 r0, K0, K1, K2, K3, K4, K5, K6, K7
    eor r27, r26                ; l = ((l ^ i) - k) <<< 8; its two lowest bytes are here
    sub r27, K0
    std Y+7, r27
    sbc r1, K1
    ldd r0, Y+6
    std Y+6, r1
    pass 2, K2, r0, r27
    pass 3, K3, r27, r0
    pass 4, K4, r0, r27
    pass 5, K5, r27, r0
    pass 6, K6, r0, r27
    sbc r27, K7
    std Y+8, r27
    fly_next
2:
    eor_word Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, X0, X1, X2, X3, X4, X5, X6, X7
    mul Y0, r30                 ; y = (y ^ x) >>> 3
    rotate_right_3 r0, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7
    eor_word X0, X1, X2, X3, X4, X5, X6, X7, K0, K1, K2, K3, K4, K5, K6, K7
    sub X0, Y0                  ; x = ((x ^ k) - y) <<< 8
    sbc X1, Y1
    sbc X2, Y2
    sbc X3, Y3
    sbc X4, Y4
    sbc X5, Y5
    sbc X6, Y6
    sbc X7, Y7
    rotate_up
    subi r26, 1
    brcs 3f
    rjmp 1b
3:
    clr r1
    fly_end
kernel_end selo_speck_decrypt_on_the_fly

#endif
#endif
