/*
 * Products modulo 2^255 - 19 for the other kernels of X25519 on Xtensa, with numbers as limbs
 * (x25519_field.inc) at a2, a3 and a4. They are no C functions: they keep a1 alone.
 *
 *   selo_field25519_multiply_limbs_xtensa   a2 = a3 a4
 *   selo_field25519_square_limbs_xtensa     a2 = a3^2
 *
 * The limbs of the inputs are from -8,200 to 8,200, those of the result are settled. The numbers may
 * be the same.
 *
 * One level of Karatsuba over products of 10 by 10 limbs, whose sums may overflow: the columns of
 * the whole product are below 20 * 8,200^2 < 2^31, so they are right modulo 2^32. A product of 10 by
 * 10 goes over five limbs of a at a time, which stay in registers with the five columns that a limb
 * of b adds to.
 *
 * Cost: most of what x25519_multiply_xtensa.S and x25519_square_xtensa.S state. 288 bytes of stack,
 * 2,465 bytes of flash (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA

#include "x25519_field.inc"

/* The frame: the columns of the products of the low halves, the high halves, and the sums of both;
 * those sums; the caller's address, the result's, and that of a. */
#define L 0
#define H 76
#define M 152
#define SUM_A 228
#define SUM_B 248
#define RETURN 268
#define RESULT 272
#define FROM 276
#define FRAME 288

#define T a15

.macro open_frame
    addmi a1, a1, -256
    addi a1, a1, -(FRAME - 256)
    s32i a0, a1, RETURN
    s32i a2, a1, RESULT
.endm

/* The sums of both halves of the number at \from. */
.macro sum_halves from, to
    .set AT, 0
    .rept 10
        l16si a5, \from, AT
        l16si a6, \from, AT + 20
        add a5, a5, a6
        s16i a5, a1, \to + AT
        .set AT, AT + 2
    .endr
.endm

.macro load_five at
    l16si a5, a3, \at
    l16si a6, a3, \at + 2
    l16si a7, a3, \at + 4
    l16si a8, a3, \at + 6
    l16si a9, a3, \at + 8
.endm

/* Adds five limbs of a times limb \i of b to the columns from \column on. The first is then whole,
 * and the last is new: its register had the limb of b. */
.macro row i, column, w0, w1, w2, w3, w4
    l16si \w4, a4, 2 * \i
    mul16s T, a5, \w4
    add \w0, \w0, T
    mul16s T, a6, \w4
    add \w1, \w1, T
    mul16s T, a7, \w4
    add \w2, \w2, T
    mul16s T, a8, \w4
    add \w3, \w3, T
    mul16s \w4, a9, \w4
    s32i \w0, a2, 4 * (\column)
.endm

/* The same, where the last column already has a part. */
.macro row_on i, column, w0, w1, w2, w3, w4
    row \i, \column, \w0, \w1, \w2, \w3, \w4
    l32i T, a2, 4 * (\column + 4)
    add \w4, \w4, T
.endm

.macro store_four column
    s32i a10, a2, 4 * \column
    s32i a11, a2, 4 * \column + 4
    s32i a12, a2, 4 * \column + 8
    s32i a13, a2, 4 * \column + 12
.endm

/* Column \i of the result before its reduction in \low; \high is that of 2^260 times it, with the
 * carries of those below. */
.macro fold low, high, i
    add \high, \high, a3
    srai a3, \high, 13
    extui \high, \high, 0, 13
    mul16s \high, \high, a5
    add \low, \low, \high
    settle \low, a2, \i
.endm

/* Columns \i, \i + 10 and \i + 20 of the whole product, the second to its place in M; with S = L[i +
 * 10] - H[i], they are L[i], S + M[i] - L[i] and M[i + 10] - H[i + 10] - S. */
.macro combine_and_fold i
    l32i a7, a1, H + 4 * \i
    l32i a8, a1, L + 4 * (\i + 10)
    l32i a9, a1, M + 4 * \i
    l32i a10, a1, L + 4 * \i
    l32i a11, a1, M + 4 * (\i + 10)
    l32i a12, a1, H + 4 * (\i + 10)
    sub a8, a8, a7
    add a9, a9, a8
    sub a9, a9, a10
    s32i a9, a1, M + 4 * \i
    sub a11, a11, a8
    sub a11, a11, a12
    fold a10, a11, \i
.endm

kernel selo_field25519_multiply_limbs_xtensa
    open_frame
    sum_halves a3, SUM_A
    sum_halves a4, SUM_B
    mov a2, a1
    call0 product
    addi a2, a2, H
    addi a3, a3, 20
    addi a4, a4, 20
    call0 product
    addi a2, a2, M - H
    addmi a3, a1, 256
    addi a4, a3, SUM_B - 256
    addi a3, a3, SUM_A - 256
    call0 product
    j combine

    .balign 4
    .global selo_field25519_square_limbs_xtensa
    .type selo_field25519_square_limbs_xtensa, @function
selo_field25519_square_limbs_xtensa:
    open_frame
    s32i a3, a1, FROM
    sum_halves a3, SUM_A
    mov a2, a1
    call0 square
    l32i a3, a1, FROM
    addi a2, a1, H
    addi a3, a3, 20
    call0 square
    addi a2, a2, M - H
    addmi a3, a1, 256
    addi a3, a3, SUM_A - 256
    call0 square
combine:
    l32i a2, a1, RESULT
    movi a3, 0              /* the carry of the high columns */
    movi a5, 608
    settle_begin
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8
    combine_and_fold \i
    .endr
    /* L, H and M have no column 19. */
    l32i a11, a1, H + 4 * 9
    l32i a9, a1, M + 4 * 9
    l32i a10, a1, L + 4 * 9
    sub a9, a9, a11
    sub a9, a9, a10
    s32i a9, a1, M + 4 * 9
    fold a10, a11, 9
    .irp i, 10, 11, 12, 13, 14, 15, 16, 17, 18
    l32i a11, a1, H + 4 * \i
    l32i a10, a1, M + 4 * (\i - 10)
    fold a10, a11, \i
    .endr
    mul16s a11, a3, a5
    l32i a10, a1, M + 4 * 9
    add a10, a10, a11
    settle a10, a2, 19
    settle_end a2
    l32i a0, a1, RETURN
    addmi a1, a1, 256
    addi a1, a1, FRAME - 256
    ret

/* The 19 columns at a2 = the ten limbs at a3 times those at a4. */
product:
    load_five 0
    l16si a14, a4, 0
    mul16s a10, a5, a14
    mul16s a11, a6, a14
    mul16s a12, a7, a14
    mul16s a13, a8, a14
    mul16s a14, a9, a14
    s32i a10, a2, 0
    row 1, 1, a11, a12, a13, a14, a10
    row 2, 2, a12, a13, a14, a10, a11
    row 3, 3, a13, a14, a10, a11, a12
    row 4, 4, a14, a10, a11, a12, a13
    row 5, 5, a10, a11, a12, a13, a14
    row 6, 6, a11, a12, a13, a14, a10
    row 7, 7, a12, a13, a14, a10, a11
    row 8, 8, a13, a14, a10, a11, a12
    row 9, 9, a14, a10, a11, a12, a13
    store_four 10
    load_five 10
    l32i a10, a2, 4 * 5
    l32i a11, a2, 4 * 6
    l32i a12, a2, 4 * 7
    l32i a13, a2, 4 * 8
    row_on 0, 5, a10, a11, a12, a13, a14
    row_on 1, 6, a11, a12, a13, a14, a10
    row_on 2, 7, a12, a13, a14, a10, a11
    row_on 3, 8, a13, a14, a10, a11, a12
    row_on 4, 9, a14, a10, a11, a12, a13
    row 5, 10, a10, a11, a12, a13, a14
    row 6, 11, a11, a12, a13, a14, a10
    row 7, 12, a12, a13, a14, a10, a11
    row 8, 13, a13, a14, a10, a11, a12
    row 9, 14, a14, a10, a11, a12, a13
    store_four 15
    ret

#define A0 a4
#define A1 a5
#define A2 a6
#define A3 a7
#define A4 a8
#define A5 a9
#define A6 a10
#define A7 a11
#define A8 a12
#define A9 a3
#define COLUMN a13

.macro more_pairs x, y, others:vararg
    mul16s T, \x, \y
    add COLUMN, COLUMN, T
    .ifnb \others
    more_pairs \others
    .endif
.endm

/* COLUMN = the sum of the products of pairs of limbs. */
.macro pairs x, y, others:vararg
    mul16s COLUMN, \x, \y
    .ifnb \others
    more_pairs \others
    .endif
.endm

.macro twice column
    add COLUMN, COLUMN, COLUMN
    s32i COLUMN, a2, 4 * \column
.endm

.macro twice_and_square column, x
    mul16s T, \x, \x
    addx2 COLUMN, COLUMN, T
    s32i COLUMN, a2, 4 * \column
.endm

/* The 19 columns at a2 = the square of the ten limbs at a3. */
square:
    l16si A0, a3, 0
    l16si A1, a3, 2
    l16si A2, a3, 4
    l16si A3, a3, 6
    l16si A4, a3, 8
    l16si A5, a3, 10
    l16si A6, a3, 12
    l16si A7, a3, 14
    l16si A8, a3, 16
    l16si A9, a3, 18
    mul16s COLUMN, A0, A0
    s32i COLUMN, a2, 0
    pairs A0, A1
    twice 1
    pairs A0, A2
    twice_and_square 2, A1
    pairs A0, A3, A1, A2
    twice 3
    pairs A0, A4, A1, A3
    twice_and_square 4, A2
    pairs A0, A5, A1, A4, A2, A3
    twice 5
    pairs A0, A6, A1, A5, A2, A4
    twice_and_square 6, A3
    pairs A0, A7, A1, A6, A2, A5, A3, A4
    twice 7
    pairs A0, A8, A1, A7, A2, A6, A3, A5
    twice_and_square 8, A4
    pairs A0, A9, A1, A8, A2, A7, A3, A6, A4, A5
    twice 9
    pairs A1, A9, A2, A8, A3, A7, A4, A6
    twice_and_square 10, A5
    pairs A2, A9, A3, A8, A4, A7, A5, A6
    twice 11
    pairs A3, A9, A4, A8, A5, A7
    twice_and_square 12, A6
    pairs A4, A9, A5, A8, A6, A7
    twice 13
    pairs A5, A9, A6, A8
    twice_and_square 14, A7
    pairs A6, A9, A7, A8
    twice 15
    pairs A7, A9
    twice_and_square 16, A8
    pairs A8, A9
    twice 17
    mul16s COLUMN, A9, A9
    s32i COLUMN, a2, 72
    ret
kernel_end selo_field25519_multiply_limbs_xtensa

#endif
