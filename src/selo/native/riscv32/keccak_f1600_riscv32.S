/*
 * The permutation Keccak-f[1600] on RV32.
 *
 *   void selo_keccak_f1600(uint64_t lanes[25]);
 *
 * lanes = Keccak-f[1600](lanes) [FIPS202, 3.3, 3.4]; lane (x, y) is lanes[x + 5 * y].
 *
 * A lane is two words, and a rotation of it six instructions. Bit-interleaved words would need as
 * many without Zbb, and with it the sponge's bytes would have to be interleaved before each
 * permutation and back after it, which costs as much as it saves. A round reads one state and
 * writes another, in the caller's memory and on the stack in turn, so that pi is only an order of
 * addresses. Theta's D stays in registers. Without Zbb's ANDN six lanes are kept complemented,
 * which leaves one NOT for a row of chi [KECCAKIMPL].
 *
 * Cost of selo_keccak_f1600: 13,234 instructions, 2,656 bytes of flash; with Zbb 12,922
 * instructions, 2,328 bytes of flash; 256 bytes of stack (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_KECCAK && SELO_BACKEND_RISCV32

#include "rotate.inc"

/* Five lanes, which are theta's C first, and theta's D: the low word, then the high one. */
#define B0 a2, a3
#define B1 a4, a5
#define B2 s0, s1
#define B3 a6, a7
#define B4 t0, t1
#define D0 s2, s3
#define D1 s4, s5
#define D2 s6, s7
#define D3 s8, s9
#define D4 s10, s11
#define FROM a0
#define TO a1
#define CONSTANT t2
#define T t3
#define U t4

.macro load at, low, high
    lw \low, \at(FROM)
    lw \high, \at + 4(FROM)
.endm

.macro add_lane at, low, high
    load \at, T, U
    xor \low, \low, T
    xor \high, \high, U
.endm

/* D of a column, from C of the columns before and after it. */
.macro effect low, high, before_low, before_high, after_low, after_high
    slli T, \after_low, 1
    srli U, \after_high, 31
    xor \low, \before_low, T
    xor \low, \low, U
    slli T, \after_high, 1
    srli U, \after_low, 31
    xor \high, \before_high, T
    xor \high, \high, U
.endm

.macro theta
    load 0, B0
    load 8, B1
    load 16, B2
    load 24, B3
    load 32, B4
    .set AT, 40
    .rept 4
        add_lane AT, B0
        add_lane AT + 8, B1
        add_lane AT + 16, B2
        add_lane AT + 24, B3
        add_lane AT + 32, B4
        .set AT, AT + 40
    .endr
    effect D0, B4, B1
    effect D1, B0, B2
    effect D2, B1, B3
    effect D3, B2, B4
    effect D4, B3, B0
.endm

/* Lane (x, y) + D, rotated to the left by \by. A rotation by 32 exchanges the words. */
.macro take x, y, by, low, high, d_low, d_high
    .if \by < 32
        load 8 * (\x + 5 * \y), \low, \high
        xor \low, \low, \d_low
        xor \high, \high, \d_high
    .else
        load 8 * (\x + 5 * \y), \high, \low
        xor \high, \high, \d_low
        xor \low, \low, \d_high
    .endif
    .if \by % 32
        srli T, \high, 32 - \by % 32
        srli U, \low, 32 - \by % 32
        slli \low, \low, \by % 32
        slli \high, \high, \by % 32
        or \low, \low, T
        or \high, \high, U
    .endif
.endm

/* A word of chi. \op takes the place of ANDN, depending on which lanes are complemented. */
.macro chi_word at, op, b0, b1, b2
    .if ROTATES
    andn T, \b2, \b1
    .else
    \op T, \b1, \b2
    .endif
    xor T, T, \b0
    .if \at < 8             /* iota */
    lw U, \at(CONSTANT)
    xor T, T, U
    .endif
    sw T, \at(TO)
.endm

/* Lane (x, y) of the result, from lanes x to x + 2 of the row. */
.macro chi x, y, op, b0, b0h, b1, b1h, b2, b2h
    chi_word 8 * (\x + 5 * \y), \op, \b0, \b1, \b2
    chi_word 8 * (\x + 5 * \y) + 4, \op, \b0h, \b1h, \b2h
.endm

.macro complement low, high
    .if !ROTATES
    not \low, \low
    not \high, \high
    .endif
.endm

/* Lane x of row y comes from lane (x + 3 y, x). */
.macro rows
    take 0, 0, 0, B0, D0
    take 1, 1, 44, B1, D1
    take 2, 2, 43, B2, D2
    take 3, 3, 21, B3, D3
    take 4, 4, 14, B4, D4
    chi 0, 0, or, B0, B1, B2
    chi 2, 0, and, B2, B3, B4
    chi 3, 0, or, B3, B4, B0
    chi 4, 0, and, B4, B0, B1
    complement B2
    chi 1, 0, or, B1, B2, B3
    take 3, 0, 28, B0, D3
    take 4, 1, 20, B1, D4
    take 0, 2, 3, B2, D0
    take 1, 3, 45, B3, D1
    take 2, 4, 61, B4, D2
    chi 0, 1, or, B0, B1, B2
    chi 1, 1, and, B1, B2, B3
    chi 3, 1, or, B3, B4, B0
    chi 4, 1, and, B4, B0, B1
    complement B4
    chi 2, 1, or, B2, B3, B4
    take 1, 0, 1, B0, D1
    take 2, 1, 6, B1, D2
    take 3, 2, 25, B2, D3
    take 4, 3, 8, B3, D4
    take 0, 4, 18, B4, D0
    chi 0, 2, or, B0, B1, B2
    chi 1, 2, and, B1, B2, B3
    chi 4, 2, and, B4, B0, B1
    complement B3
    chi 2, 2, and, B2, B3, B4
    chi 3, 2, or, B3, B4, B0
    take 4, 0, 27, B0, D4
    take 0, 1, 36, B1, D0
    take 1, 2, 10, B2, D1
    take 2, 3, 15, B3, D2
    take 3, 4, 56, B4, D3
    chi 0, 3, and, B0, B1, B2
    chi 1, 3, or, B1, B2, B3
    chi 4, 3, or, B4, B0, B1
    complement B3
    chi 2, 3, or, B2, B3, B4
    chi 3, 3, and, B3, B4, B0
    take 2, 0, 62, B0, D2
    take 3, 1, 55, B1, D3
    take 4, 2, 39, B2, D4
    take 0, 3, 41, B3, D0
    take 1, 4, 2, B4, D1
    chi 2, 4, and, B2, B3, B4
    chi 3, 4, or, B3, B4, B0
    chi 4, 4, and, B4, B0, B1
    complement B1
    chi 0, 4, and, B0, B1, B2
    chi 1, 4, or, B1, B2, B3
.endm

/* Complements the six lanes at the start and back at the end. */
.macro complement_six
    .if !ROTATES
    .irp lane, 1, 2, 8, 12, 17, 20
        load 8 * \lane, T, U
        complement T, U
        sw T, 8 * \lane(FROM)
        sw U, 8 * \lane + 4(FROM)
    .endr
    .endif
.endm

kernel selo_keccak_f1600
    save s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
    addi sp, sp, -208
    mv TO, sp
    la CONSTANT, constants
    complement_six
1:
    theta
    rows
    mv T, FROM
    mv FROM, TO
    mv TO, T
    addi CONSTANT, CONSTANT, 8
    la T, constants_end
    bne CONSTANT, T, 1b
    complement_six
    /* The state of the last round but one would give away the input. */
    .set AT, 0
    .rept 50
        sw zero, AT(sp)
        .set AT, AT + 4
    .endr
    addi sp, sp, 208
    restore_and_return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
    .balign 4
/* The round constants, the low word first [FIPS202, 3.2.5]. */
constants:
    .word 0x00000001, 0x00000000, 0x00008082, 0x00000000
    .word 0x0000808a, 0x80000000, 0x80008000, 0x80000000
    .word 0x0000808b, 0x00000000, 0x80000001, 0x00000000
    .word 0x80008081, 0x80000000, 0x00008009, 0x80000000
    .word 0x0000008a, 0x00000000, 0x00000088, 0x00000000
    .word 0x80008009, 0x00000000, 0x8000000a, 0x00000000
    .word 0x8000808b, 0x00000000, 0x0000008b, 0x80000000
    .word 0x00008089, 0x80000000, 0x00008003, 0x80000000
    .word 0x00008002, 0x80000000, 0x00000080, 0x80000000
    .word 0x0000800a, 0x00000000, 0x8000000a, 0x80000000
    .word 0x80008081, 0x80000000, 0x00008080, 0x80000000
    .word 0x80000001, 0x00000000, 0x80008008, 0x80000000
constants_end:
kernel_end selo_keccak_f1600

#endif
