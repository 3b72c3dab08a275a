/*
 * The choice between two points of X25519 on ARM cores with SEL.
 *
 *   void selo_field25519_select_arm(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
 *                                   uint8_t choice);
 *
 * r = a if choice is 0, b if it is 1. r may be a or b. All three are aligned to 4 bytes. The
 * same instructions and addresses for both.
 *
 * SEL takes the bytes of one word where the flags GE are set, else those of another. The sum of
 * two bytes of 255 sets them, that of two bytes of 0 does not.
 *
 * Cost of selo_field25519_select_arm: 97 cycles on Cortex-M4 as modelled, 33 instructions, 28
 * bytes of stack, 116 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_UMAAL

#include "../arm/kernel.inc"

kernel selo_field25519_select_arm
    push {r4-r10}
    rsb r3, r3, #0
    uadd8 r3, r3, r3
    .rept 4
        ldm r1!, {r3-r6}
        ldm r2!, {r7-r10}
        sel r3, r7, r3
        sel r4, r8, r4
        sel r5, r9, r5
        sel r6, r10, r6
        stm r0!, {r3-r6}
    .endr
    pop {r4-r10}
    bx lr
kernel_end selo_field25519_select_arm

#endif
