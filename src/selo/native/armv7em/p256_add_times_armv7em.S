/*
 * Sums and differences in the field of P-256 on ARM cores with UMAAL.
 *
 *   void selo_p256_add_times_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32], int8_t times);
 *
 * r = a + times b modulo p, any a and b, times from -8 to 8, r < 2^256. r may be a or b. None needs an
 * alignment.
 *
 * The technique is that of p256/p256_field_add_times.c. No branch and no address depends on a, b or times.
 *
 * Cost of selo_p256_add_times_arm: 95 cycles on Cortex-M4 as modelled, 65 instructions, 40 bytes of
 * stack, 224 bytes of flash (tests/arm/run.sh --figures p256).
 */
#include "../api.h"

#if SELO_NATIVE_P256 && SELO_BACKEND_UMAAL

#include "../arm/kernel.inc"

/* \s = a + |times| b, or its complement, in word \at, with the carry in r3 */
.macro sum at, s
    ldr \s, [r1, #4 * \at]
    ldr r0, [r2, #4 * \at]
    eor r0, r0, r12
    umaal \s, r3, r0, r4
.endm

kernel selo_p256_add_times_arm
    push {r0, r4-r11, lr}
    asr r12, r3, #31            /* the mask of b */
    eor r4, r3, r12
    sub r4, r4, r12             /* |times| */
    and r3, r4, r12             /* the carry */
    sum 0, r5
    sum 1, r6
    sum 2, r7
    sum 3, r8
    sum 4, r9
    sum 5, r10
    sum 6, r11
    sum 7, lr
    and r12, r12, r4
    sub r3, r3, r12             /* the sum is q 2^256 too little */
    asr r1, r3, #31
    adds r2, lr, r3             /* whether the top word + q has 32 bits */
    adc r3, r3, r1              /* c: q, or one more or less */
    asr r1, r3, #31             /* its sign, s */
    sub r2, r1, r3              /* word 3: s - c */
    asr r4, r2, #31             /* its sign, t */
    sub r12, r4, r3             /* word 6: t - c */
    add r0, r4, r3              /* word 7: t + c */
    adds r5, r5, r3
    adcs r6, r6, r1
    adcs r7, r7, r1
    adcs r8, r8, r2
    adcs r9, r9, r4
    adcs r10, r10, r4
    adcs r11, r11, r12
    adc lr, lr, r0
    pop {r0}
    str r5, [r0]
    str r6, [r0, #4]
    str r7, [r0, #8]
    str r8, [r0, #12]
    str r9, [r0, #16]
    str r10, [r0, #20]
    str r11, [r0, #24]
    str lr, [r0, #28]
    pop {r4-r11, pc}
kernel_end selo_p256_add_times_arm

#endif
