#ifdef __AVR__ /* other targets compile nothing */
; selo_aes128_tiny_setup, selo_aes192_tiny_setup, selo_aes256_tiny_setup: the key is kept.
;
;   void selo_aes128_tiny_setup(struct selo_aes128_tiny *key, const uint8_t raw[16])
;                               r25:r24                       r23:r22
;
; and so for 192 and 256. Call and return included: 97, 141 and 185 cycles. 20 bytes of flash,
; each in a section of its own; 2 bytes of stack, the return address.
;
; Time: the branch depends on the key's size only.
; Proved by tests/avr/test_aes.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_AES

#include "kernel.inc"

.macro keep_key name, size
kernel \name
    movw r26, r24
    movw r30, r22
    ldi r25, \size / 2
1:
    .rept 2
    ld r24, Z+
    st X+, r24
    .endr
    dec r25
    brne 1b
    ret
kernel_end \name
.endm

keep_key selo_aes128_tiny_setup, 16
keep_key selo_aes192_tiny_setup, 24
keep_key selo_aes256_tiny_setup, 32

#endif
#endif
