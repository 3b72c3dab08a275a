/*
 * One of eight points of 64 bytes in RAM, for P-256 on AVR.
 *
 *   void selo_p256_choose_avr(struct selo_p256_affine *entry, const struct selo_p256_affine *points,
 *                             uint8_t index);
 *
 * entry = point `index`, 0 to 7. Every byte of the points is read and masked, in the same order for each index:
 * in four chunks of 16 bytes, which stay in registers while all points pass. entry must be apart from
 * the points.
 *
 * Cost of selo_p256_choose_avr: 2,603 cycles, 18 bytes of stack.
 *
 * Proved by tests/avr/p256.sh.
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_P256

#include "x25519_product.inc"

kernel selo_p256_choose_avr
    save_registers
    movw YL, r24
    movw ZL, r22
    mov r24, r20                /* how far the point is */
    ldi r27, 4                  /* chunks */
1:
    .set I, 2
    .rept 16
        clr I
        .set I, I + 1
    .endr
    ldi r23, 8
2:
    cpi r24, 1                  /* carry: this is it */
    sbc r25, r25
    .set I, 0
    .rept 16
        ldd r26, Z + I
        and r26, r25
        or I + 2, r26
        .set I, I + 1
    .endr
    subi ZL, lo8(-64)
    sbci ZH, hi8(-64)
    dec r24
    dec r23
    brne 2b
    subi r24, -8
    subi ZL, lo8(512 - 16)
    sbci ZH, hi8(512 - 16)
    .set I, 2
    .rept 16
        st Y+, I
        .set I, I + 1
    .endr
    dec r27
    breq 3f
    rjmp 1b
3:
    restore_registers
    ret
kernel_end selo_p256_choose_avr

#endif
