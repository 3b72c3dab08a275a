/*
 * Numbers of X25519 from words to limbs and back on Xtensa (x25519_field.inc), for the other kernels.
 * Both are no C functions: they keep a1 and a13 to a15 alone.
 *
 *   selo_field25519_limbs_xtensa   the limbs at a2 = the 32 bytes at a3, from 0 to 8,191 each
 *   selo_field25519_bytes_xtensa   the 32 bytes at a2 = the limbs at a3, below 2^255 + 2^249
 *
 * Bytes are aligned to 4. Limbs to store are from -16,384 to 16,384.
 *
 * Cost: 63 and 140 instructions, no stack. Flash of both: 568 bytes (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA

#include "x25519_field.inc"

/* Limb \i is in one word, from bit \at on, or in two. */
.macro within i, word, at, bits=13
    extui a12, \word, \at, \bits
    s16i a12, a2, 2 * \i
.endm

.macro across i, upper, lower, at
    ssai \at
    src a12, \upper, \lower
    within \i, a12, 0
.endm

kernel selo_field25519_limbs_xtensa
    .set AT, 0
    .irp word, a4, a5, a6, a7, a8, a9, a10, a11
    l32i \word, a3, AT
    .set AT, AT + 4
    .endr
    within 0, a4, 0
    within 1, a4, 13
    across 2, a5, a4, 26
    within 3, a5, 7
    across 4, a6, a5, 20
    within 5, a6, 1
    within 6, a6, 14
    across 7, a7, a6, 27
    within 8, a7, 8
    across 9, a8, a7, 21
    within 10, a8, 2
    within 11, a8, 15
    across 12, a9, a8, 28
    within 13, a9, 9
    across 14, a10, a9, 22
    within 15, a10, 3
    within 16, a10, 16
    across 17, a11, a10, 29
    within 18, a11, 10
    within 19, a11, 23, 9
    ret
kernel_end selo_field25519_limbs_xtensa

/* a6 = limb \i with the carry, from 0 to 8,191. */
.macro next i
    l16si a6, a3, 2 * \i
    add a6, a6, a5
    srai a5, a6, 13
    extui a6, a6, 0, 13
.endm

/* Limb \i to bit \at of the word in a7. */
.macro put i, at
    next \i
    slli a6, a6, \at
    or a7, a7, a6
.endm

/* The same where it fills word \word. */
.macro put_across i, at, word
    next \i
    slli a8, a6, \at
    or a7, a7, a8
    s32i a7, a2, 4 * \word
    srli a7, a6, 32 - \at
.endm

/*
 * The limbs below the highest are a number from -2^248 to 2^248. The highest keeps 2 to 257 of its
 * multiples of 2^247, so that no number is negative; the others are multiples of 2^255, each 19 at
 * the bottom.
 */
kernel selo_field25519_bytes_xtensa
    l16si a4, a3, 2 * 19
    addi a5, a4, -2
    srai a5, a5, 8
    slli a6, a5, 8
    sub a4, a4, a6
    addx2 a6, a5, a5
    slli a5, a5, 4
    add a5, a5, a6
    next 0
    mov a7, a6
    put 1, 13
    put_across 2, 26, 0
    put 3, 7
    put_across 4, 20, 1
    put 5, 1
    put 6, 14
    put_across 7, 27, 2
    put 8, 8
    put_across 9, 21, 3
    put 10, 2
    put 11, 15
    put_across 12, 28, 4
    put 13, 9
    put_across 14, 22, 5
    put 15, 3
    put 16, 16
    put_across 17, 29, 6
    put 18, 10
    add a4, a4, a5
    slli a4, a4, 23
    add a7, a7, a4
    s32i a7, a2, 28
    ret
kernel_end selo_field25519_bytes_xtensa

#endif
