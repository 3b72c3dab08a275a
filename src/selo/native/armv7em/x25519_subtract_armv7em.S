/*
 * Subtraction modulo 2^255 - 19 on ARM.
 *
 *   void selo_field25519_subtract_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a - b mod p, below 2^256. r may be a or b. All three are aligned to 4 bytes.
 *
 * Cost of selo_field25519_subtract_arm: 75 cycles on Cortex-M4 as modelled, 33 instructions, 32
 * bytes of stack, 124 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_UMAAL

#include "x25519_difference.inc"

kernel selo_field25519_subtract_arm
    push {r4-r11}
    mov r3, r1
    mov r1, r2
    mov r2, r3
    difference
    stm r0, {r2-r9}
    pop {r4-r11}
    bx lr
kernel_end selo_field25519_subtract_arm

#endif
