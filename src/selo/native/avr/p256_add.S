/*
 * Sums and differences of field elements for P-256 on AVR.
 *
 *   void selo_p256_add_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *   void selo_p256_subtract_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *   void selo_p256_add_times_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32], int8_t times);
 *
 * r = a + b, a - b and a + times b modulo p, any a and b, times from -8 to 8, r < 2^256. r may be a or b.
 *
 * Cost of selo_p256_add_avr: 427 cycles, 2 bytes of stack.
 * Cost of selo_p256_subtract_avr: 426 cycles, 2 bytes of stack.
 * Cost of selo_p256_add_times_avr: 679 cycles, 6 bytes of stack.
 *
 * The technique is that of p256/p256_field_add_times.c. No branch, no address and no cycle depends on a, b or
 * times. Proved by tests/avr/p256.sh.
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_P256

#include "x25519_product.inc"

    .section .text.selo_p256_add_avr, "ax", @progbits

    .set TOP, 18            /* r18-r21: the top word of the sum */
    .set Q, 22              /* the sum is Q 2^256 too little */

/*
 * r += c e, e = 2^256 - p = 2^224 - 2^192 - 2^96 + 1, where c is Q, or one more or less if TOP + Q does not fit
 * 32 bits, as p256_field_add_times.c explains. X: the end of r. r1 = 0. Uses r0, r18-r27, Z.
 *
 * c e is bytes: c at 0, -c at 12 and 24, c at 28, each with its sign up to the next.
 */
finish:
    sbiw XL, 32
    movw ZL, XL
    mov r23, Q
    lsl r23
    sbc r23, r23            /* the sign of Q */
    mov r24, Q
    add TOP, Q
    adc TOP + 1, r23
    adc TOP + 2, r23
    adc TOP + 3, r23
    adc r24, r23            /* c: the carry counts, and so does its lack if Q is negative */
    mov r25, r24
    lsl r25
    sbc r25, r25            /* the sign of c, s */
    mov r20, r25
    sub r20, r24            /* byte 12: s - c */
    mov r21, r20
    lsl r21
    sbc r21, r21            /* its sign, t */
    mov r22, r21
    sub r22, r24            /* byte 24: t - c; its sign is t too */
    mov r23, r21
    add r23, r24            /* byte 28: t + c; its sign is s */
    .set I, 0
    .rept 32
        ldd r0, Z + I
        .if I == 0
            add r0, r24
        .elseif I < 12
            adc r0, r25
        .elseif I == 12
            adc r0, r20
        .elseif I < 24
            adc r0, r21
        .elseif I == 24
            adc r0, r22
        .elseif I < 28
            adc r0, r21
        .elseif I == 28
            adc r0, r23
        .else
            adc r0, r25
        .endif
        std Z + I, r0
        .set I, I + 1
    .endr
    ret

    .macro sum first, other
        push YL
        push YH
        movw XL, r24
        movw YL, r22
        movw ZL, r20
        .set I, 0
        .rept 32
            .if I < 28
                .set R, 18
            .else
                .set R, TOP + I - 28
            .endif
            ldd R, Y + I
            ldd r0, Z + I
            .if I == 0
                \first R, r0
            .else
                \other R, r0
            .endif
            st X+, R
            .set I, I + 1
        .endr
        sbc Q, Q            /* -1 for a carry */
        pop YH
        pop YL
    .endm

entry selo_p256_add_avr
    sum add, adc
    neg Q
    rjmp finish
kernel_end selo_p256_add_avr

entry selo_p256_subtract_avr
    sum sub, sbc
    rjmp finish
kernel_end selo_p256_subtract_avr

/* For negative times, |times| of the complement of b and |times| 2^256 less are added. */
entry selo_p256_add_times_avr
    push r14
    push r15
    push r16
    push r17
    push YL
    push YH
    movw XL, r24
    movw YL, r22
    movw ZL, r20
    mov r17, r18
    lsl r17
    sbc r17, r17            /* the mask of b */
    mov r16, r18
    eor r16, r17
    sub r16, r17            /* |times| */
    mov r15, r18
    and r15, r17            /* times, if it is negative, else 0 */
    clr r14                 /* r1 is needed */
    mov r23, r16
    and r23, r17            /* the carry */
    .set I, 0
    .rept 32
        .if I < 28
            .set R, 18
        .else
            .set R, TOP + I - 28
        .endif
        ldd R, Z + I
        eor R, r17
        mul R, r16
        ldd R, Y + I
        add R, r0
        adc r1, r14
        add R, r23
        adc r1, r14
        mov r23, r1
        st X+, R
        .set I, I + 1
    .endr
    mov Q, r23
    add Q, r15
    clr r1
    pop YH
    pop YL
    pop r17
    pop r16
    pop r15
    pop r14
    rjmp finish
kernel_end selo_p256_add_times_avr

#endif
