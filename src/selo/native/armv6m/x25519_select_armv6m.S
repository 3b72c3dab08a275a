/*
 * The choice between two points of X25519 on ARM cores without SEL.
 *
 *   void selo_field25519_select_arm(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
 *                                   uint8_t choice);
 *
 * r = a if choice is 0, b if it is 1. r may be a or b. All three are aligned to 4 bytes. The
 * same instructions and addresses for both.
 *
 * Cost of selo_field25519_select_arm: 134 cycles on Cortex-M0 and 134 cycles on Cortex-M3 as
 * modelled, 76 instructions, 16 bytes of stack, 152 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_ARM && !SELO_BACKEND_UMAAL

#include "x25519_field.inc"

kernel selo_field25519_select_arm
    push {r4-r7}
    rsbs r3, r3, #0         /* the mask */
    .rept 8
        ldm r1!, {r4, r5}
        ldm r2!, {r6, r7}
        eors r6, r6, r4
        eors r7, r7, r5
        ands r6, r6, r3
        ands r7, r7, r3
        eors r4, r4, r6
        eors r5, r5, r7
        stm r0!, {r4, r5}
    .endr
    pop {r4-r7}
    bx lr
kernel_end selo_field25519_select_arm

#endif
