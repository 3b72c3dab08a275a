/*
 * a + 121666 b modulo 2^255 - 19 on ARM cores without UMAAL.
 *
 *   void selo_field25519_add_121666_arm(uint8_t a[32], const uint8_t b[32]);
 *
 * a = a + 121666 b mod p, below 2^255 + 2^241. a and b are apart, and aligned to 4 bytes.
 *
 * 121666 is twice a number of 16 bits, whose products with halves of words fit a word.
 *
 * Cost of selo_field25519_add_121666_arm: 196 cycles on Cortex-M0 and 186 cycles on Cortex-M3 as
 * modelled, 158 instructions, 20 bytes of stack, 320 bytes of flash (tests/arm/run.sh
 * --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_ARM && !SELO_BACKEND_UMAAL

#include "x25519_field.inc"

kernel selo_field25519_add_121666_arm
    push {r4-r7, lr}
    movs r7, r1
    ldr r5, =60833
    fold r7, 0, r0, 0, 1
    pop {r4-r7, pc}
    .ltorg
kernel_end selo_field25519_add_121666_arm

#endif
