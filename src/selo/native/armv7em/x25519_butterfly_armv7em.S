/*
 * Sum and difference modulo 2^255 - 19 on ARM cores with UMAAL.
 *
 *   void selo_field25519_butterfly_arm(uint8_t a[32], uint8_t b[32]);
 *
 * (a, b) = (a + b, a - b) mod p; a below 2^255 + 64, b below 2^256. a and b are apart, and
 * aligned to 4 bytes.
 *
 * UMAAL by 1 adds three words. The quotient of the sum by 2^255 is at most 3; as in
 * x25519_reduce.inc it comes first, from the top words, and goes in at the bottom.
 *
 * Cost of selo_field25519_butterfly_arm: 139 cycles on Cortex-M4 as modelled, 69 instructions,
 * 40 bytes of stack, 268 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_UMAAL

#include "x25519_difference.inc"

/* a[at] and a[at + 1] += b[at] and b[at + 1] and the carry in r12. */
.macro sum_pair at
    ldrd r10, r11, [r0, #\at]
    ldr lr, [r1, #\at]
    umaal r10, r12, lr, r2
    ldr lr, [r1, #\at + 4]
    umaal r11, r12, lr, r2
    strd r10, r11, [r0, #\at]
.endm

kernel selo_field25519_butterfly_arm
    push {r2, r4-r11, lr}
    mov r2, r0
    difference
    str r2, [sp]
    ldr r10, [r0, #28]
    ldr r11, [r1, #28]
    adds r10, r10, r11
    mov r12, #0
    adc r12, r12, r12
    lsl r12, r12, #1
    orr r12, r12, r10, lsr #31
    mov r2, #19
    mul r12, r12, r2
    mov r2, #1
    sum_pair 0
    sum_pair 8
    sum_pair 16
    ldr r10, [r0, #24]
    ldr lr, [r1, #24]
    umaal r10, r12, lr, r2
    ldr r11, [r0, #28]
    ldr lr, [r1, #28]
    add r11, r11, lr
    bic r11, r11, #0x80000000
    add r11, r11, r12
    strd r10, r11, [r0, #24]
    ldr r2, [sp]
    stm r1, {r2-r9}
    pop {r2, r4-r11, pc}
kernel_end selo_field25519_butterfly_arm

#endif
