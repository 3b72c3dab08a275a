/*
 * Subtraction modulo 2^255 - 19 on ARM cores without UMAAL.
 *
 *   void selo_field25519_subtract_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a - b mod p, below 2^256. r may be a or b. All three are aligned to 4 bytes.
 *
 * A borrow from 2^256 is 38 to take away, which may borrow once more and then leaves a word of at
 * least 2^32 - 38 at the bottom.
 *
 * Cost of selo_field25519_subtract_arm: 105 cycles on Cortex-M0 and 98 cycles on Cortex-M3 as
 * modelled, 53 instructions, 16 bytes of stack, 108 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_ARM && !SELO_BACKEND_UMAAL

#include "x25519_field.inc"

/* Two words at r0 = those at r1 minus those at r2, with the borrow in the carry flag. */
.macro subtract_pair
    ldm r1!, {r3, r4}
    ldm r2!, {r5, r6}
    sbcs r3, r3, r5
    sbcs r4, r4, r6
    stm r0!, {r3, r4}
.endm

.macro load_four
    ldr r3, [r0]
    ldr r4, [r0, #4]
    ldr r5, [r0, #8]
    ldr r6, [r0, #12]
.endm

kernel selo_field25519_subtract_arm
    push {r4-r7}
    cmp r0, r0              /* no borrow */
    subtract_pair
    subtract_pair
    subtract_pair
    subtract_pair
    sbcs r2, r2, r2
    movs r1, #38
    ands r2, r2, r1
    movs r7, #0
    subs r0, r0, #32
    load_four
    subs r3, r3, r2
    sbcs r4, r4, r7
    sbcs r5, r5, r7
    sbcs r6, r6, r7
    stm r0!, {r3-r6}
    load_four
    sbcs r3, r3, r7
    sbcs r4, r4, r7
    sbcs r5, r5, r7
    sbcs r6, r6, r7
    stm r0!, {r3-r6}
    sbcs r2, r2, r2
    ands r2, r2, r1
    subs r0, r0, #32
    ldr r3, [r0]
    subs r3, r3, r2
    str r3, [r0]
    pop {r4-r7}
    bx lr
kernel_end selo_field25519_subtract_arm

#endif
