/*
 * A step of X25519's ladder, and a chain of squarings, on RV32 with the multiplier of M.
 *
 *   void selo_x25519_step_riscv32(uint8_t points[224], uint8_t choice);
 *
 * The step of x25519_ladder.c, whose letters these are. points has u, then p2, p3 and d, each x
 * and z, of which d is for work; aligned to 4 bytes. What is doubled is p3 if choice is 1, else p2.
 *
 *   void selo_field25519_square_times_riscv32(uint8_t r[32], const uint8_t a[32], uint8_t times);
 *
 * r = a^(2^times), below 2^255 + 2^230; times is at least 1. r may be a. Both are aligned to 4
 * bytes.
 *
 * The field's operations without their calls: registers are kept once for nine of them. The sums
 * and differences of both points are made in one pass, which also chooses what is doubled.
 *
 * Cost of selo_x25519_shared_secret, with its 251 steps: 1,338,498 instructions. Flash of both
 * functions: 1,504 bytes (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32

#include "x25519_field.inc"

/* Where points has them. */
#define U 0
#define P2_X 32
#define P2_Z 64
#define P3_X 96
#define P3_Z 128
#define D_X 160
#define D_Z 192

#define POINTS s10
#define MASK s0 /* of the choice */

.macro multiply to, a, b
    addi a0, POINTS, \to
    addi a1, POINTS, \a
    addi a2, POINTS, \b
    call selo_field25519_multiply_core_riscv32
.endm

.macro square at
    addi a0, POINTS, \at
    mv a1, a0
    call selo_field25519_square_core_riscv32
.endm

/* The top words of a sum and a difference in `sum` and `difference`, with the carry and the borrow
 * into the lowest words. */
.macro begin_butterfly x, z, sum, difference, carry, borrow
    lw t0, \x + 28(POINTS)
    lw t1, \z + 28(POINTS)
    add \sum, t0, t1
    sltu \carry, \sum, t0
    take_above_255 \sum, \carry, \carry
    subtract_top \difference, t0, t1, \borrow
.endm

/* (sum, difference) = words x and z of points, and back to their places. */
.macro butterfly_word x, z, sum, difference, carry, borrow
    lw t0, \x(POINTS)
    lw t1, \z(POINTS)
    add \sum, t0, t1
    sltu T, \sum, t0
    add \sum, \sum, \carry
    sltu \carry, \sum, \carry
    add \carry, \carry, T
    subtract_and_borrow \difference, t0, t1, \borrow
    sw \sum, \x(POINTS)
    sw \difference, \z(POINTS)
.endm

/* Word \to of points = a, or b where the mask is ones. */
.macro choose to, a, b
    xor \b, \b, \a
    and \b, \b, MASK
    xor \a, \a, \b
    sw \a, \to(POINTS)
.endm

/* (A, B) and (C, D), and in d that of the two which is doubled. */
.macro butterflies_and_choice
    begin_butterfly P2_X, P2_Z, s1, s2, s3, s4
    begin_butterfly P3_X, P3_Z, s5, s6, s7, s8
    .set AT, 0
    .rept 7
        butterfly_word P2_X + AT, P2_Z + AT, t2, t3, s3, s4
        butterfly_word P3_X + AT, P3_Z + AT, t4, t5, s7, s8
        choose D_X + AT, t2, t4
        choose D_Z + AT, t3, t5
        .set AT, AT + 4
    .endr
    add s1, s1, s3
    sub s2, s2, s4
    add s5, s5, s7
    sub s6, s6, s8
    sw s1, P2_X + 28(POINTS)
    sw s2, P2_Z + 28(POINTS)
    sw s5, P3_X + 28(POINTS)
    sw s6, P3_Z + 28(POINTS)
    choose D_X + 28, s1, s5
    choose D_Z + 28, s2, s6
.endm

kernel selo_x25519_step_riscv32
    save s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra
    mv POINTS, a0
    neg MASK, a1
    butterflies_and_choice
    multiply P3_Z, P3_Z, P2_X       /* DA */
    multiply P3_X, P3_X, P2_Z       /* CB */
    addi a0, POINTS, P3_X
    addi a1, POINTS, P3_Z
    call selo_field25519_butterfly_riscv32
    square P3_X
    square P3_Z
    multiply P3_Z, P3_Z, U
    square D_X                      /* AA */
    square D_Z                      /* BB */
    multiply P2_X, D_X, D_Z
    addi a0, POINTS, D_X
    mv a1, a0
    addi a2, POINTS, D_Z
    call selo_field25519_subtract_riscv32   /* E */
    addi a0, POINTS, D_Z
    addi a1, POINTS, D_X
    call selo_field25519_add_121666_riscv32
    multiply P2_Z, D_X, D_Z
    restore_and_return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra
kernel_end selo_x25519_step_riscv32

kernel selo_field25519_square_times_riscv32
    save s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra
    mv s10, a2
1:
    call selo_field25519_square_core_riscv32
    mv a1, a0
    addi s10, s10, -1
    bnez s10, 1b
    restore_and_return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra
kernel_end selo_field25519_square_times_riscv32

#endif
