/*
 * The compression function of SHA-256 on RV32.
 *
 *   void selo_sha256_compress(uint32_t state[8], uint32_t block[16]);
 *
 * state = the next hash value [FIPS180-4, 6.2.2]. block has the bytes of the message, and keeps
 * them.
 *
 * The working variables and the sixteen words of the message schedule are in registers. The
 * variables change names instead of places, so 16 rounds are unrolled. Without Zbb or Zbkb a sum of
 * three rotations is two chains of shifts, one for each direction. Maj(a, b, c) is
 * b + ((a + b) and (b + c)), and a + b is the next round's b + c.
 *
 * Cost of selo_sha256_compress: 3,550 instructions, 3,468 bytes of flash; with Zbb 2,284
 * instructions, 2,348 bytes of flash; 64 bytes of stack (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_SHA256 && SELO_BACKEND_RISCV32

#include "rotate.inc"

#define W0 s0
#define W1 s1
#define W2 s2
#define W3 s3
#define W4 s4
#define W5 s5
#define W6 s6
#define W7 s7
#define W8 s8
#define W9 s9
#define W10 s10
#define W11 s11
#define W12 t0
#define W13 t1
#define W14 t2
#define W15 t3
#define K ra /* the constants of the next 16 rounds */
#define T a0
#define EVEN t4
#define ODD t5
/* a to h: a1 to a7 and t6 */

/* sum += x rotated to the right by n1, n2 and n3, which rise. */
.macro add_big_sigma sum, x, n1, n2, n3, u
    .if ROTATES
    rori T, \x, \n1
    rori \u, \x, \n2
    xor T, T, \u
    rori \u, \x, \n3
    .else
    srli T, \x, \n3 - \n2
    xor T, T, \x
    srli T, T, \n2 - \n1
    xor T, T, \x
    srli T, T, \n1
    slli \u, \x, \n2 - \n1
    xor \u, \u, \x
    slli \u, \u, \n3 - \n2
    xor \u, \u, \x
    slli \u, \u, 32 - \n3
    .endif
    xor T, T, \u
    add \sum, \sum, T
.endm

/* sum += x shifted to the right by n0, and rotated by n1 and n2. */
.macro add_small_sigma sum, x, n0, n1, n2, u
    .if ROTATES
    srli T, \x, \n0
    rori \u, \x, \n1
    xor T, T, \u
    rori \u, \x, \n2
    .elseif \n0 < \n1
    srli T, \x, \n2 - \n1
    xor T, T, \x
    srli T, T, \n1 - \n0
    xor T, T, \x
    srli T, T, \n0
    slli \u, \x, \n2 - \n1
    xor \u, \u, \x
    slli \u, \u, 32 - \n2
    .endif
    xor T, T, \u
    add \sum, \sum, T
.endm

/* Round t modulo 16 [FIPS180-4, 6.2.2]. `before` is b + c; `next` becomes a + b. */
.macro round t, w, a, b, c, d, e, f, g, h, next, before
    lw T, 4 * \t(K)
    add \h, \h, \w
    add \h, \h, T
    add_big_sigma \h, \e, 6, 11, 25, \next
    xor T, \f, \g           /* Ch */
    and T, T, \e
    xor T, T, \g
    add \h, \h, T
    add \d, \d, \h
    add_big_sigma \h, \a, 2, 13, 22, \next
    xor \next, \a, \b       /* Maj */
    and \before, \before, \next
    xor \before, \before, \b
    add \h, \h, \before
.endm

/* Word t + 16 of the schedule in the place of word t. */
.macro schedule w0, w1, w9, w14
    add \w0, \w0, \w9
    add_small_sigma \w0, \w1, 3, 7, 18, ODD
    add_small_sigma \w0, \w14, 10, 17, 19, ODD
.endm

.macro load_word word, at
    lw \word, \at(a1)
    .if ROTATES
    rev8 \word, \word
    .else
    srli T, \word, 8
    and T, T, EVEN
    and \word, \word, EVEN
    slli \word, \word, 8
    or \word, \word, T
    rotate_right \word, 16, T
    .endif
.endm

.macro settle word, at
    lw T, \at(ra)
    add T, T, \word
    sw T, \at(ra)
.endm

kernel selo_sha256_compress
    save s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra, a0
    .if !ROTATES
    li EVEN, 0x00ff00ff
    .endif
    mv K, a0
    .set AT, 0
    .irp word, W0, W1, W2, W3, W4, W5, W6, W7, W8, W9, W10, W11, W12, W13, W14, W15
        load_word \word, AT
        .set AT, AT + 4
    .endr
    .set AT, 0
    .irp word, a1, a2, a3, a4, a5, a6, a7, t6
        lw \word, AT(K)
        .set AT, AT + 4
    .endr
    la K, selo_sha256_constants
    xor ODD, a2, a3
1:
    round 0, W0, a1, a2, a3, a4, a5, a6, a7, t6, EVEN, ODD
    round 1, W1, t6, a1, a2, a3, a4, a5, a6, a7, ODD, EVEN
    round 2, W2, a7, t6, a1, a2, a3, a4, a5, a6, EVEN, ODD
    round 3, W3, a6, a7, t6, a1, a2, a3, a4, a5, ODD, EVEN
    round 4, W4, a5, a6, a7, t6, a1, a2, a3, a4, EVEN, ODD
    round 5, W5, a4, a5, a6, a7, t6, a1, a2, a3, ODD, EVEN
    round 6, W6, a3, a4, a5, a6, a7, t6, a1, a2, EVEN, ODD
    round 7, W7, a2, a3, a4, a5, a6, a7, t6, a1, ODD, EVEN
    round 8, W8, a1, a2, a3, a4, a5, a6, a7, t6, EVEN, ODD
    round 9, W9, t6, a1, a2, a3, a4, a5, a6, a7, ODD, EVEN
    round 10, W10, a7, t6, a1, a2, a3, a4, a5, a6, EVEN, ODD
    round 11, W11, a6, a7, t6, a1, a2, a3, a4, a5, ODD, EVEN
    round 12, W12, a5, a6, a7, t6, a1, a2, a3, a4, EVEN, ODD
    round 13, W13, a4, a5, a6, a7, t6, a1, a2, a3, ODD, EVEN
    round 14, W14, a3, a4, a5, a6, a7, t6, a1, a2, EVEN, ODD
    round 15, W15, a2, a3, a4, a5, a6, a7, t6, a1, ODD, EVEN
    la T, selo_sha256_constants + 192
    beq K, T, 2f
    addi K, K, 64
    mv EVEN, ODD
    schedule W0, W1, W9, W14
    schedule W1, W2, W10, W15
    schedule W2, W3, W11, W0
    schedule W3, W4, W12, W1
    schedule W4, W5, W13, W2
    schedule W5, W6, W14, W3
    schedule W6, W7, W15, W4
    schedule W7, W8, W0, W5
    schedule W8, W9, W1, W6
    schedule W9, W10, W2, W7
    schedule W10, W11, W3, W8
    schedule W11, W12, W4, W9
    schedule W12, W13, W5, W10
    schedule W13, W14, W6, W11
    schedule W14, W15, W7, W12
    schedule W15, W0, W8, W13
    mv ODD, EVEN
    j 1b
2:
    lw ra, 52(sp)           /* state */
    settle a1, 0
    settle a2, 4
    settle a3, 8
    settle a4, 12
    settle a5, 16
    settle a6, 20
    settle a7, 24
    settle t6, 28
    restore_and_return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra, a0
kernel_end selo_sha256_compress

#endif
