/*
 * The compression function of SHA-256 on Xtensa with the call0 ABI.
 *
 *   void selo_sha256_compress(uint32_t state[8], uint32_t block[16]);
 *
 * state = the next hash value [FIPS180-4, 6.2.2]. block has the bytes of the message, and is
 * destroyed: it becomes the message schedule.
 *
 * The working variables stay in registers and change names instead of places, so 16 rounds are
 * unrolled. A rotation takes its distance from the register SAR. The sums of three rotations are
 * nested so that both of a round rotate by 11 at the same time. Maj(a, b, c) is
 * b + ((a + b) and (b + c)), and a + b is the next round's b + c.
 *
 * Cost of selo_sha256_compress: 3,138 instructions, 32 bytes of stack, 2,611 bytes of flash
 * (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_SHA256 && SELO_BACKEND_XTENSA

#include "kernel.inc"

#define FRAME 32
#define STATE 20
#define K a12 /* the constants of the next 16 rounds */
#define W a13 /* block */
#define T a14
#define U a15
#define V a3
#define EVEN a0
#define ODD a2
/* a to h: a4 to a11 */

/* x = x rotated to the right by SAR. */
.macro turn to, x
    src \to, \x, \x
.endm

/* Round t modulo 16 [FIPS180-4, 6.2.2]. `before` is b + c; `next` becomes a + b. */
.macro round t, a, b, c, d, e, f, g, h, next, before
    l32i T, K, 4 * (\t)
    l32i U, W, 4 * (\t)
    add \h, \h, T
    add \h, \h, U
    ssai 13                 /* Sigma1: by 6, 11 and 25 */
    turn T, \e
    xor T, T, \e
    ssai 14
    turn T, T
    xor T, T, \e
    ssai 9                  /* Sigma0: by 2, 13 and 22 */
    turn U, \a
    xor U, U, \a
    ssai 11                 /* both */
    turn T, T
    turn U, U
    add \h, \h, T
    xor U, U, \a
    ssai 2
    turn U, U
    xor T, \f, \g           /* Ch */
    and T, T, \e
    xor T, T, \g
    add \h, \h, T
    add \d, \d, \h
    add \h, \h, U
    xor \next, \a, \b       /* Maj */
    and \before, \before, \next
    xor \before, \before, \b
    add \h, \h, \before
.endm

.macro eight_rounds t
    round \t, a4, a5, a6, a7, a8, a9, a10, a11, EVEN, ODD
    round \t + 1, a11, a4, a5, a6, a7, a8, a9, a10, ODD, EVEN
    round \t + 2, a10, a11, a4, a5, a6, a7, a8, a9, EVEN, ODD
    round \t + 3, a9, a10, a11, a4, a5, a6, a7, a8, ODD, EVEN
    round \t + 4, a8, a9, a10, a11, a4, a5, a6, a7, EVEN, ODD
    round \t + 5, a7, a8, a9, a10, a11, a4, a5, a6, ODD, EVEN
    round \t + 6, a6, a7, a8, a9, a10, a11, a4, a5, EVEN, ODD
    round \t + 7, a5, a6, a7, a8, a9, a10, a11, a4, ODD, EVEN
.endm

/* Word t + 16 of the schedule in the place of word t. */
.macro schedule t
    l32i V, W, 4 * (((\t) + 1) % 16)
    ssai 11                 /* sigma0: by 7 and 18, and a shift by 3 */
    turn T, V
    xor T, T, V
    ssai 7
    turn T, T
    srli V, V, 3
    xor T, T, V
    l32i V, W, 4 * (((\t) + 14) % 16)
    ssai 2                  /* sigma1: by 17 and 19, and a shift by 10 */
    turn U, V
    xor U, U, V
    ssai 17
    turn U, U
    srli V, V, 10
    xor U, U, V
    add T, T, U
    l32i U, W, 4 * (\t)
    l32i V, W, 4 * (((\t) + 9) % 16)
    add T, T, U
    add T, T, V
    s32i T, W, 4 * (\t)
.endm

.macro settle at, word
    l32i T, a2, \at
    add T, T, \word
    s32i T, a2, \at
.endm

kernel selo_sha256_compress
    enter FRAME
    s32i a2, a1, STATE
    mov W, a3
    ssai 8
    .set AT, 0
    .rept 16                /* words from big-endian bytes */
        l32i T, W, AT
        srli U, T, 16
        src U, U, T
        turn U, U
        src U, T, U
        s32i U, W, AT
        .set AT, AT + 4
    .endr
    l32i a4, a2, 0
    l32i a5, a2, 4
    l32i a6, a2, 8
    l32i a7, a2, 12
    l32i a8, a2, 16
    l32i a9, a2, 20
    l32i a10, a2, 24
    l32i a11, a2, 28
    movi K, selo_sha256_constants
    xor ODD, a5, a6
1:
    eight_rounds 0
    eight_rounds 8
    movi T, selo_sha256_constants + 192
    bne K, T, 2f
    j 3f
2:
    addi K, K, 64
    .set AT, 0
    .rept 16
        schedule AT
        .set AT, AT + 1
    .endr
    j 1b
3:
    l32i a2, a1, STATE
    settle 0, a4
    settle 4, a5
    settle 8, a6
    settle 12, a7
    settle 16, a8
    settle 20, a9
    settle 24, a10
    settle 28, a11
    leave FRAME
kernel_end selo_sha256_compress

#endif
