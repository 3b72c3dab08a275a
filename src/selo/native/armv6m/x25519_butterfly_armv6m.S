/*
 * Sum and difference modulo 2^255 - 19 on ARM cores without UMAAL.
 *
 *   void selo_field25519_butterfly_arm(uint8_t a[32], uint8_t b[32]);
 *
 * (a, b) = (a + b, a - b) mod p, both below 2^256. a and b are apart, and aligned to 4 bytes.
 *
 * First both without the modulus, with the two carries kept in registers, then 38 for each carry.
 * A second carry leaves less than 38 at the bottom of the sum, and a second borrow at least
 * 2^32 - 38 at the bottom of the difference, so neither goes further than a word.
 *
 * Cost of selo_field25519_butterfly_arm: 227 cycles on Cortex-M0 and 200 cycles on Cortex-M3 as
 * modelled, 142 instructions, 28 bytes of stack, 284 bytes of flash (tests/arm/run.sh
 * --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_ARM && !SELO_BACKEND_UMAAL

#include "x25519_field.inc"

kernel selo_field25519_butterfly_arm
    push {r4-r7, lr}
    mov r2, r8
    mov r3, r9
    push {r2, r3}
    movs r6, #0
    movs r7, #1
    pair
    pair
    pair
    pair
    subs r0, r0, #32
    subs r1, r1, #32
    mov r8, r7
    /* 38 for the carry of the sum */
    movs r7, #38
    muls r6, r7, r6
    movs r7, #0
    settle r0, adds, adcs
    sbcs r6, r6, r6         /* 0 for a carry */
    mvns r6, r6
    movs r2, #38
    ands r6, r6, r2
    subs r0, r0, #32
    ldr r3, [r0]
    adds r3, r3, r6
    str r3, [r0]
    /* 38 for the borrow of the difference */
    mov r6, r8
    subs r6, r6, #1
    ands r6, r6, r2
    settle r1, subs, sbcs
    sbcs r6, r6, r6
    movs r2, #38
    ands r6, r6, r2
    subs r1, r1, #32
    ldr r3, [r1]
    subs r3, r3, r6
    str r3, [r1]
    pop {r2, r3}
    mov r8, r2
    mov r9, r3
    pop {r4-r7, pc}
kernel_end selo_field25519_butterfly_arm

#endif
