/*
 * a + 121666 b modulo 2^255 - 19 on ARM cores with UMAAL.
 *
 *   void selo_field25519_add_121666_arm(uint8_t a[32], const uint8_t b[32]);
 *
 * a = a + 121666 b mod p, below 2^255 + 2^241. a and b are apart, and aligned to 4 bytes.
 *
 * Cost of selo_field25519_add_121666_arm: 68 cycles on Cortex-M4 as modelled, 32 instructions,
 * 36 bytes of stack, 108 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_UMAAL

#include "x25519_reduce.inc"

kernel selo_field25519_add_121666_arm
    push {r4-r11, lr}
    movw r3, #(121666 & 0xffff)
    movt r3, #(121666 >> 16)
    ldm r1, {r1, r2, r8-r12, lr}
    fold r0, r0, r1, r2, r8, r9, r10, r11, r12, lr
    pop {r4-r11, pc}
kernel_end selo_field25519_add_121666_arm

#endif
