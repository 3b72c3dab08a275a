/*
 * The permutation of Ascon on Xtensa with the call0 ABI.
 *
 *   void selo_ascon_permute(uint64_t state[5], uint8_t rounds);
 *
 * state = Ascon-p[rounds](state) [SP800-232, 3]; rounds is 8 or 12.
 *
 * A lane is two words, and all are in registers. SRC, which shifts two words by the register SAR,
 * rotates a lane in three instructions. Lanes 2 and 4 are kept complemented between the rounds.
 * With them two NOT a round are enough for a half of the substitution layer, where its formula has
 * six.
 *
 * Cost of selo_ascon_permute: 775 instructions for 8 rounds, 1,139 for 12, 32 bytes of stack, 381
 * bytes of flash (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_ASCON && SELO_BACKEND_XTENSA

#include "kernel.inc"

#define FRAME 32
#define STATE 20
#define X0 a2, a4
#define X1 a5, a6
#define X2 a7, a8
#define X3 a9, a10
#define X4 a11, a12
#define CONSTANT a3
#define T a13
#define U a14
#define V a15
#define ONES a0

/* The substitution layer on half of the lanes [SP800-232, 3.3]. After the first three lines a, c
 * and e are complemented, so ~b & c is the complement of b | c, ~c & d is c & d, and so on; but
 * ~e & a is e & ~a. The last two lines leave x0 as it is, and x2 complemented. */
.macro substitute x0, x1, x2, x3, x4
    xor \x0, \x0, \x4
    xor \x2, \x2, \x1
    xor \x4, \x4, \x3
    and T, \x0, \x1
    xor U, \x0, ONES
    and U, U, \x4
    or V, \x1, \x2
    xor \x0, \x0, V
    and V, \x2, \x3
    xor \x1, \x1, V
    or V, \x3, \x4
    xor \x2, \x2, V
    xor \x3, \x3, U
    xor \x4, \x4, T
    xor \x1, \x1, \x0
    xor \x3, \x3, \x2
    xor \x0, \x0, \x4
    xor \x0, \x0, ONES
.endm

.macro halves low0, high0, low1, high1, low2, high2, low3, high3, low4, high4
    substitute \low0, \low1, \low2, \low3, \low4
    substitute \high0, \high1, \high2, \high3, \high4
.endm

/* (t, u) = the lane rotated to the right by \by. */
.macro rotation t, u, low, high, by
    ssai \by % 32
    .if \by < 32
    src \t, \high, \low
    src \u, \low, \high
    .else
    src \t, \low, \high
    src \u, \high, \low
    .endif
.endm

/* A lane ^= the lane rotated by n0 and by n1 [SP800-232, 3.4]. */
.macro diffuse low, high, n0, n1
    rotation T, U, \low, \high, \n0
    xor T, T, \low
    xor U, U, \high
    rotation V, \high, \low, \high, \n1
    xor \low, T, V
    xor \high, \high, U
.endm

.macro complement low, high
    xor \low, \low, ONES
    xor \high, \high, ONES
.endm

.macro add_constant low, high
    xor \low, \low, CONSTANT
.endm

.macro move_lane instruction, at, low, high
    \instruction \low, V, \at
    \instruction \high, V, \at + 4
.endm

.macro move_state instruction
    move_lane \instruction, 0, X0
    move_lane \instruction, 8, X1
    move_lane \instruction, 16, X2
    move_lane \instruction, 24, X3
    move_lane \instruction, 32, X4
.endm

kernel selo_ascon_permute
    enter FRAME
    s32i a2, a1, STATE
    mov V, a2
    movi ONES, -1
    slli T, a3, 4           /* the last round has 0x4b, each before it 0x0f more */
    sub CONSTANT, T, a3
    addi CONSTANT, CONSTANT, 0x3c
    move_state l32i
    complement X2
    complement X4
1:
    add_constant X2
    halves X0, X1, X2, X3, X4
    diffuse X0, 19, 28
    diffuse X1, 61, 39
    diffuse X2, 1, 6
    diffuse X3, 10, 17
    diffuse X4, 7, 41
    addi CONSTANT, CONSTANT, -0x0f
    addi T, CONSTANT, -0x3c
    beqz T, 2f
    j 1b
2:
    complement X2
    complement X4
    l32i V, a1, STATE
    move_state s32i
    leave FRAME
kernel_end selo_ascon_permute

#endif
