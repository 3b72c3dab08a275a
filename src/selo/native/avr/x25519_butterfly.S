/*
 * Sum and difference of two field elements for X25519 on AVR.
 *
 *   void selo_field25519_butterfly_avr(uint8_t a[32], uint8_t b[32]);
 *
 * (a, b) = (a + b, a - b) modulo 2^255 - 19, any a and b, which must be apart; both
 * results < 2^255 + 2^248.
 *
 * Cost of selo_field25519_butterfly_avr: 598 cycles, 23 bytes of stack.
 *
 * The technique is that of field_butterfly.c. No branch, no address and no cycle depends on
 * a or b. Proved by tests/avr/field.sh.
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_X25519

#include "x25519_product.inc"

    .section .text.selo_field25519_butterfly_avr, "ax", @progbits

/*
 * One pass. The part of the top bytes above bit 255 is known except for one carry. 2^255 is
 * subtracted so often that the carry fits, and 19 is added at the bottom for each time. The
 * sum: q = (a31 + b31) / 128, 0 to 3. The difference: a - b + 4 p, from which 2^255 is subtracted
 * e = (510 + a31 - b31) / 128 times, 1 to 5, so 19 e - 76 is added.
 *
 * r2-r9: a, then the difference; r10-r17: b; r18-r25: the sum; r26, r27: the carries into
 * the next eight bytes of the sum and the difference; r1 = 0.
 */
entry selo_x25519_butterfly /* Y: a, Z: b; uses all registers */
    ldd r18, Y + 31
    ldd r19, Z + 31
    ldi r23, 19
    mov r20, r18
    add r20, r19
    sbc r21, r21
    neg r21
    lsl r20
    rol r21
    mul r21, r23
    mov r26, r0
    sub r18, r19
    sbc r19, r19
    subi r18, lo8(-510)
    sbci r19, hi8(-510)
    lsl r18
    rol r19
    mul r19, r23
    mov r27, r0
    subi r27, 76
    clr r1
    /* The lowest bits of q and e tell if bit 255 changes. */
    push r21
    push r19
    ldi r18, 4
1:
    push r18
    load 2, 8, Y, 0
    load 10, 8, Z, 0
    .irp r, 18, 20, 22, 24
        movw \r, \r - 16
    .endr
    add r18, r26
    .irp r, 19, 20, 21, 22, 23, 24, 25
        adc \r, r1
    .endr
    clr r26
    adc r26, r1
    .irp r, 18, 19, 20, 21, 22, 23, 24, 25
        .if \r == 18
            add \r, \r - 8
        .else
            adc \r, \r - 8
        .endif
    .endr
    adc r26, r1
    mov r0, r27
    lsl r0
    sbc r0, r0                  /* the sign of what goes in */
    add r2, r27
    .irp r, 3, 4, 5, 6, 7, 8, 9
        adc \r, r0
    .endr
    adc r0, r1
    mov r27, r0
    .irp r, 2, 3, 4, 5, 6, 7, 8, 9
        .if \r == 2
            sub \r, \r + 8
        .else
            sbc \r, \r + 8
        .endif
    .endr
    sbc r27, r1
    .set I, 0
    .rept 8
        st Y+, 18 + I
        st Z+, 2 + I
        .set I, I + 1
    .endr
    pop r18
    dec r18
    breq 2f
    rjmp 1b
2:
    pop r18
    lsr r18
    sbc r18, r18
    andi r18, 0x80
    eor r9, r18
    pop r18
    lsr r18
    sbc r18, r18
    andi r18, 0x80
    eor r25, r18
    st -Y, r25
    st -Z, r9
    ret
kernel_end selo_x25519_butterfly

entry selo_field25519_butterfly_avr
    save_registers
    movw YL, r24
    movw ZL, r22
    rcall selo_x25519_butterfly
    restore_registers
    ret
kernel_end selo_field25519_butterfly_avr

#endif
