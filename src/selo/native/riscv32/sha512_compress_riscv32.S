/*
 * The compression function of SHA-512 on RV32.
 *
 *   void selo_sha512_compress(uint64_t state[8], uint64_t block[16]);
 *
 * state = the next hash value [FIPS180-4, 6.4.2]. block has the bytes of the message, and is
 * destroyed: it becomes the message schedule.
 *
 * The working variables are in 16 registers and change names instead of places, so eight rounds are
 * unrolled. Maj(a, b, c) is b + ((a + b) and (b + c)), and a + b is the next round's b + c. The
 * schedule is four loops, because its indices wrap at three places.
 *
 * Cost of selo_sha512_compress: 11,683 instructions, 3,912 bytes of flash; with Zbb 11,457
 * instructions, 3,856 bytes of flash; 64 bytes of stack (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_SHA512 && SELO_BACKEND_RISCV32

#include "rotate.inc"

#define K a6 /* the constants of the next rounds */
#define W a7 /* the words of the next rounds */
#define T t0
#define TH t1
#define U t2
#define END a0
#define EVEN t3, t4
#define ODD t5, t6
/* a to h: the pairs in the calls of round. */

/* (x, xh) += (y, yh). Uses \carry, which may be y. */
.macro add_pair x, xh, y, yh, carry
    add \x, \x, \y
    sltu \carry, \x, \y
    add \xh, \xh, \yh
    add \xh, \xh, \carry
.endm

/* to = x moved down by n + y moved up by 32 - n, or that is added to it. Uses U. */
.macro turned to, x, y, n
    srli \to, \x, \n
    slli U, \y, 32 - \n
    xor \to, \to, U
.endm

.macro add_turned to, x, y, n
    srli U, \x, \n
    xor \to, \to, U
    slli U, \y, 32 - \n
    xor \to, \to, U
.endm

/* A pair += Sigma of (x, xh) [FIPS180-4, 4.1.3]: it is rotated by n0, n1 and n2; \up1 is 1 for a
 * rotation n1 by 32 more, and n2 always means 32 more. Uses T, TH and U. */
.macro add_sigma sum, sumh, x, xh, n0, n1, up1, n2
    turned T, \x, \xh, \n0
    turned TH, \xh, \x, \n0
    .if \up1
    add_turned T, \xh, \x, \n1
    add_turned TH, \x, \xh, \n1
    .else
    add_turned T, \x, \xh, \n1
    add_turned TH, \xh, \x, \n1
    .endif
    add_turned T, \xh, \x, \n2
    add_turned TH, \x, \xh, \n2
    add_pair \sum, \sumh, T, TH, T
.endm

/* The same with sigma, which is rotated by n0 and n1 and moved down by n2. */
.macro add_small_sigma sum, sumh, x, xh, n0, n1, up1, n2
    turned T, \x, \xh, \n0
    turned TH, \xh, \x, \n0
    .if \up1
    add_turned T, \xh, \x, \n1
    add_turned TH, \x, \xh, \n1
    .else
    add_turned T, \x, \xh, \n1
    add_turned TH, \xh, \x, \n1
    .endif
    add_turned T, \x, \xh, \n2
    srli U, \xh, \n2
    xor TH, TH, U
    add_pair \sum, \sumh, T, TH, T
.endm

/* Round t modulo 8 [FIPS180-4, 6.4.2]. (m, mh) is b + c; (n, nh) becomes a + b. */
.macro round t, a, ah, b, bh, d, dh, e, eh, f, fh, g, gh, h, hh, n, nh, m, mh
    lw T, 8 * (\t)(W)
    lw TH, 8 * (\t) + 4(W)
    add_pair \h, \hh, T, TH, T
    lw T, 8 * (\t)(K)
    lw TH, 8 * (\t) + 4(K)
    add_pair \h, \hh, T, TH, T
    add_sigma \h, \hh, \e, \eh, 14, 18, 0, 9    /* by 14, 18 and 41 */
    xor T, \f, \g               /* Ch */
    xor TH, \fh, \gh
    and T, T, \e
    and TH, TH, \eh
    xor T, T, \g
    xor TH, TH, \gh
    add_pair \h, \hh, T, TH, T
    add_pair \d, \dh, \h, \hh, T
    add_sigma \h, \hh, \a, \ah, 28, 2, 1, 7     /* by 28, 34 and 39 */
    xor \n, \a, \b              /* Maj */
    xor \nh, \ah, \bh
    and \m, \m, \n
    and \mh, \mh, \nh
    xor \m, \m, \b
    xor \mh, \mh, \bh
    add_pair \h, \hh, \m, \mh, T
.endm

/* Word t + 16 of the schedule in the place of word t, which is at W. Words t + 1, t + 9 and t + 14 are
 * at offsets from W. Uses t3 to t6. */
.macro schedule one, nine, past
    lw t3, 0(W)
    lw t4, 4(W)
    lw t5, \one(W)
    lw t6, \one + 4(W)
    add_small_sigma t3, t4, t5, t6, 1, 8, 0, 7
    lw T, \nine(W)
    lw TH, \nine + 4(W)
    add_pair t3, t4, T, TH, T
    lw t5, \past(W)
    lw t6, \past + 4(W)
    add_small_sigma t3, t4, t5, t6, 19, 29, 1, 6
    sw t3, 0(W)
    sw t4, 4(W)
    addi W, W, 8
.endm

/* The bytes of word in the other order. t4 is 0x00ff00ff without Zbb. Uses T. */
.macro reverse word
    .if ROTATES
    rev8 \word, \word
    .else
    srli T, \word, 8
    and T, T, t4
    and \word, \word, t4
    slli \word, \word, 8
    or \word, \word, T
    rotate_right \word, 16, T
    .endif
.endm

.macro settle at, low, high
    lw T, \at(W)
    lw TH, \at + 4(W)
    add_pair \low, \high, T, TH, T
    sw \low, \at(W)
    sw \high, \at + 4(W)
.endm

kernel selo_sha512_compress
    save s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra, a0, a1
    .if !ROTATES
    li t4, 0x00ff00ff
    .endif
    mv W, a1
    addi END, a1, 128
1:
    lw t5, 0(W)
    lw t6, 4(W)
    reverse t5
    reverse t6
    sw t6, 0(W)
    sw t5, 4(W)
    addi W, W, 8
    bne W, END, 1b
    lw W, 52(sp)
    .set AT, 0
    .irp register, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, a2, a3, a4, a5
        lw \register, AT(W)
        .set AT, AT + 4
    .endr
    la K, selo_sha512_constants
2:
    lw W, 56(sp)
    xor t5, s2, s4
    xor t6, s3, s5
3:
    round 0, s0, s1, s2, s3, s6, s7, s8, s9, s10, s11, a2, a3, a4, a5, EVEN, ODD
    round 1, a4, a5, s0, s1, s4, s5, s6, s7, s8, s9, s10, s11, a2, a3, ODD, EVEN
    round 2, a2, a3, a4, a5, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, EVEN, ODD
    round 3, s10, s11, a2, a3, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, ODD, EVEN
    round 4, s8, s9, s10, s11, a4, a5, s0, s1, s2, s3, s4, s5, s6, s7, EVEN, ODD
    round 5, s6, s7, s8, s9, a2, a3, a4, a5, s0, s1, s2, s3, s4, s5, ODD, EVEN
    round 6, s4, s5, s6, s7, s10, s11, a2, a3, a4, a5, s0, s1, s2, s3, EVEN, ODD
    round 7, s2, s3, s4, s5, s8, s9, s10, s11, a2, a3, a4, a5, s0, s1, ODD, EVEN
    addi W, W, 64
    addi K, K, 64
    bne W, END, 3b
    la T, selo_sha512_constants + 640
    beq K, T, 8f
    lw W, 56(sp)
    addi a1, W, 16
4:
    schedule 8, 72, 112
    bne W, a1, 4b
    addi a1, W, 40
5:
    schedule 8, 72, -16
    bne W, a1, 5b
    addi a1, W, 64
6:
    schedule 8, -56, -16
    bne W, a1, 6b
    schedule -120, -56, -16
    j 2b
8:
    lw W, 52(sp)
    settle 0, s0, s1
    settle 8, s2, s3
    settle 16, s4, s5
    settle 24, s6, s7
    settle 32, s8, s9
    settle 40, s10, s11
    settle 48, a2, a3
    settle 56, a4, a5
    restore_and_return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra
kernel_end selo_sha512_compress

#endif
