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

/* Two words at r0 and r1 = their sum and difference. r6 is the carry of the sum, 0 or 1; r7 that
 * of the difference, which is 1 if nothing is borrowed. */
.macro pair
    ldr r2, [r0]
    ldr r3, [r0, #4]
    ldr r4, [r1]
    ldr r5, [r1, #4]
    lsrs r7, r7, #1
    mov r8, r2
    mov r9, r3
    sbcs r2, r2, r4
    sbcs r3, r3, r5
    adcs r7, r7, r7
    stm r1!, {r2, r3}
    mov r2, r8
    mov r3, r9
    lsrs r6, r6, #1
    adcs r2, r2, r4
    adcs r3, r3, r5
    adcs r6, r6, r6
    stm r0!, {r2, r3}
.endm

/* The flags stay, which LDM and a subtraction would not leave. */
.macro load_four at
    ldr r2, [\at]
    ldr r3, [\at, #4]
    ldr r4, [\at, #8]
    ldr r5, [\at, #12]
.endm

/* Adds r6 to the eight words at \at, or takes it from them, with \op and \opc: ADDS and ADCS, or SUBS and SBCS. */
.macro settle op, opc, at
    load_four \at
    \op r2, r2, r6
    \opc r3, r3, r7
    \opc r4, r4, r7
    \opc r5, r5, r7
    stm \at!, {r2-r5}
    load_four \at
    \opc r2, r2, r7
    \opc r3, r3, r7
    \opc r4, r4, r7
    \opc r5, r5, r7
    stm \at!, {r2-r5}
.endm

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
    settle adds, adcs, r0
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
    settle subs, sbcs, r1
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
