/*
 * The permutation of Ascon on RV32.
 *
 *   void selo_ascon_permute(uint64_t state[5], uint8_t rounds);
 *
 * state = Ascon-p[rounds](state) [SP800-232, 3]; rounds is 8 or 12.
 *
 * A lane is two words, and all are in registers. Lanes 2 and 4 are kept complemented between the
 * rounds. With them two NOT a round are enough for a half of the substitution layer, where its
 * formula has six; ANDN and XNOR of Zbb save these two.
 *
 * Cost of selo_ascon_permute: 992 instructions for 8 rounds, 1,472 for 12, 588 bytes of flash;
 * with Zbb 960 and 1,424, 572 bytes of flash; no stack (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_ASCON && SELO_BACKEND_RISCV32

#include "rotate.inc"

#define X0 a2, a3
#define X1 a4, a5
#define X2 a6, a7
#define X3 t0, t1
#define X4 t2, t3
#define CONSTANT a1
#define T t4
#define U t5
#define V t6

/*
 * The substitution layer on half of the lanes [SP800-232, 3.3]. After the first three lines a, c
 * and e are complemented, so ~b & c is the complement of b | c, ~c & d is c & d, and so on; but
 * ~e & a is e & ~a. The last two lines leave x0 as it is, and x2 complemented.
 */
.macro substitute x0, x1, x2, x3, x4
    xor \x0, \x0, \x4
    xor \x2, \x2, \x1
    xor \x4, \x4, \x3
    and T, \x0, \x1
    .if ROTATES
    andn U, \x4, \x0
    .else
    not U, \x0
    and U, U, \x4
    .endif
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
    .if ROTATES
    xnor \x0, \x0, \x4
    .else
    xor \x0, \x0, \x4
    not \x0, \x0
    .endif
.endm

.macro halves low0, high0, low1, high1, low2, high2, low3, high3, low4, high4
    substitute \low0, \low1, \low2, \low3, \low4
    substitute \high0, \high1, \high2, \high3, \high4
.endm

/* to = the sum of a word of a lane rotated to the right by n0 and n1; far is the lane's other
 * word. Uses U. */
.macro rotations to, near, far, n0, n1
    .if \n0 < 32
    srli \to, \near, \n0
    slli U, \far, 32 - \n0
    .else
    srli \to, \far, \n0 - 32
    slli U, \near, 64 - \n0
    .endif
    xor \to, \to, U
    .if \n1 < 32
    srli U, \near, \n1
    xor \to, \to, U
    slli U, \far, 32 - \n1
    .else
    srli U, \far, \n1 - 32
    xor \to, \to, U
    slli U, \near, 64 - \n1
    .endif
    xor \to, \to, U
.endm

/* A lane ^= the lane rotated by n0 and by n1 [SP800-232, 3.4]. */
.macro diffuse low, high, n0, n1
    rotations T, \low, \high, \n0, \n1
    rotations V, \high, \low, \n0, \n1
    xor \low, \low, T
    xor \high, \high, V
.endm

.macro complement low, high
    not \low, \low
    not \high, \high
.endm

.macro add_constant low, high
    xor \low, \low, CONSTANT
.endm

.macro move_lane instruction, at, low, high
    \instruction \low, \at(a0)
    \instruction \high, \at + 4(a0)
.endm

.macro move_state instruction
    move_lane \instruction, 0, X0
    move_lane \instruction, 8, X1
    move_lane \instruction, 16, X2
    move_lane \instruction, 24, X3
    move_lane \instruction, 32, X4
.endm

kernel selo_ascon_permute
    move_state lw
    complement X2
    complement X4
    slli T, a1, 4           /* the last round has 0x4b, each before it 0x0f more */
    sub CONSTANT, T, a1
    addi CONSTANT, CONSTANT, 0x3c
1:
    add_constant X2
    halves X0, X1, X2, X3, X4
    diffuse X0, 19, 28
    diffuse X1, 61, 39
    diffuse X2, 1, 6
    diffuse X3, 10, 17
    diffuse X4, 7, 41
    addi CONSTANT, CONSTANT, -0x0f
    li T, 0x3c
    bne CONSTANT, T, 1b
    complement X2
    complement X4
    move_state sw
    ret
kernel_end selo_ascon_permute

#endif
