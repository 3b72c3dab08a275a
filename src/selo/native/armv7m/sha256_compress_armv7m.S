/*
 * The compression function of SHA-256 on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_sha256_compress(uint32_t state[8], uint32_t block[16]);
 *
 * state = the next hash value [FIPS180-4, 6.2.2]. block has the bytes of the message, and is
 * destroyed: it becomes the message schedule.
 *
 * The working variables stay in registers and change names instead of places, so 16 rounds are
 * unrolled. They run three times with the schedule of the round 16 later, and once without.
 * Maj(a, b, c) is b + ((a + b) and (b + c)), and a + b is the next round's b + c.
 *
 * Cost of selo_sha256_compress: 2,194 cycles on Cortex-M3 and 2,194 cycles on Cortex-M4 as
 * modelled, 1,957 instructions, 48 bytes of stack, 3,108 bytes of flash (tests/arm/run.sh
 * --figures).
 */
#include "../api.h"

#if SELO_NATIVE_SHA256 && SELO_BACKEND_THUMB2

#include "../arm/kernel.inc"

/* Round t modulo 16 [FIPS180-4, 6.2.2]. r8 is the block, r9 the constant of the round, lr is b + c
 * before and a + b, the next round's b + c, in r12 after: the two change places each round. */
.macro round t, a, b, c, d, e, f, g, h, next, before
    ldr r10, [r8, #4 * (\t)]
    ldr r11, [r9], #4
    add \h, \h, r10
    add \h, \h, r11
    eor r10, \e, \e, ror #5       /* Sigma1: by 6, 11 and 25 */
    eor r10, r10, \e, ror #19
    eor r11, \f, \g               /* Ch */
    and r11, r11, \e
    add \h, \h, r10, ror #6
    eor r11, r11, \g
    add \h, \h, r11
    add \d, \d, \h
    eor r10, \a, \a, ror #11      /* Sigma0: by 2, 13 and 22 */
    eor r10, r10, \a, ror #20
    eor \next, \a, \b            /* Maj */
    and \before, \before, \next
    add \h, \h, r10, ror #2
    eor \before, \before, \b
    add \h, \h, \before
.endm

/* Word t + 16 of the schedule in the place of word t. Uses the register that Maj has read. */
.macro schedule t, free
    ldr r10, [r8, #4 * (((\t) + 1) % 16)]
    ldr r11, [r8, #4 * (((\t) + 14) % 16)]
    ror \free, r10, #7
    eor \free, \free, r10, ror #18
    eor \free, \free, r10, lsr #3
    ror r10, r11, #17
    eor r10, r10, r11, ror #19
    eor r10, r10, r11, lsr #10
    add \free, \free, r10
    ldr r10, [r8, #4 * (\t)]
    ldr r11, [r8, #4 * (((\t) + 9) % 16)]
    add \free, \free, r10
    add \free, \free, r11
    str \free, [r8, #4 * (\t)]
.endm

.macro both with, t, a, b, c, d, e, f, g, h, next, before
    round \t, \a, \b, \c, \d, \e, \f, \g, \h, \next, \before
    .if \with
    schedule \t, \before
    .endif
.endm

.macro eight_rounds with, t
    both \with, \t, r0, r1, r2, r3, r4, r5, r6, r7, r12, lr
    both \with, \t + 1, r7, r0, r1, r2, r3, r4, r5, r6, lr, r12
    both \with, \t + 2, r6, r7, r0, r1, r2, r3, r4, r5, r12, lr
    both \with, \t + 3, r5, r6, r7, r0, r1, r2, r3, r4, lr, r12
    both \with, \t + 4, r4, r5, r6, r7, r0, r1, r2, r3, r12, lr
    both \with, \t + 5, r3, r4, r5, r6, r7, r0, r1, r2, lr, r12
    both \with, \t + 6, r2, r3, r4, r5, r6, r7, r0, r1, r12, lr
    both \with, \t + 7, r1, r2, r3, r4, r5, r6, r7, r0, lr, r12
.endm

kernel selo_sha256_compress
    push {r0, r4-r11, lr}
    sub sp, #8
    mov r8, r1
    mov r12, r1
    .rept 4                     /* words from big-endian bytes */
    ldm r12, {r2-r5}
    rev r2, r2
    rev r3, r3
    rev r4, r4
    rev r5, r5
    stm r12!, {r2-r5}
    .endr
    ldr r9, =selo_sha256_constants
    add r10, r9, #192
    str r10, [sp]
    ldm r0, {r0-r7}
    eor lr, r1, r2
1:
    eight_rounds 1, 0
    eight_rounds 1, 8
    ldr r10, [sp]
    cmp r9, r10
    bne.w 1b
    eight_rounds 0, 0
    eight_rounds 0, 8
    ldr r8, [sp, #8]
    .irp word, r0, r1, r2, r3, r4, r5, r6, r7
    ldr r9, [r8]
    add r9, r9, \word
    str r9, [r8], #4
    .endr
    add sp, #12
    pop {r4-r11, pc}
    .ltorg
kernel_end selo_sha256_compress

#endif
