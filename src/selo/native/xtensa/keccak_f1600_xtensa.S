/*
 * The permutation Keccak-f[1600] on Xtensa with the call0 ABI.
 *
 *   void selo_keccak_f1600(uint64_t lanes[25]);
 *
 * lanes = Keccak-f[1600](lanes) [FIPS202, 3.3, 3.4]; lane (x, y) is lanes[x + 5 * y].
 *
 * A lane is two words. SRC, which shifts two words by the register SAR, rotates it in three
 * instructions. A round reads one state and writes another, in the caller's memory and on the stack
 * in turn, so that pi is only an order of addresses. Six lanes are kept complemented, which leaves
 * one NOT for a row of chi [KECCAKIMPL].
 *
 * Cost of selo_keccak_f1600: 12,401 instructions, 256 bytes of stack, 3,492 bytes of flash
 * (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_KECCAK && SELO_BACKEND_XTENSA

#include "kernel.inc"

/* The stack: what is saved, the address of the next round constant, words 2 to 9 of theta's D, the
 * other state. */
#define CONSTANT 20
#define D 16
#define OTHER 56
#define FRAME 256

/* Five lanes, which are theta's C first: the low word, then the high one. */
#define B0 a4, a5
#define B1 a6, a7
#define B2 a8, a9
#define B3 a10, a11
#define B4 a12, a13
#define LANES a2
#define D0_LOW a0
#define D0_HIGH a3
#define T a14
#define U a15

.macro load base, at, low, high
    l32i \low, \base, \at
    l32i \high, \base, \at + 4
.endm

.macro add_lane base, at, low, high
    load \base, \at, T, U
    xor \low, \low, T
    xor \high, \high, U
.endm

/* (T, U) = D of a column, from C of the columns before and after it. SAR is 31. */
.macro effect before_low, before_high, after_low, after_high
    src T, \after_low, \after_high
    src U, \after_high, \after_low
    xor T, T, \before_low
    xor U, U, \before_high
.endm

.macro keep_effect x, places:vararg
    effect \places
    s32i T, a1, D + 8 * \x
    s32i U, a1, D + 8 * \x + 4
.endm

.macro theta from, at
    load \from, \at, B0
    load \from, \at + 8, B1
    load \from, \at + 16, B2
    load \from, \at + 24, B3
    load \from, \at + 32, B4
    .set AT, \at + 40
    .rept 4
        add_lane \from, AT, B0
        add_lane \from, AT + 8, B1
        add_lane \from, AT + 16, B2
        add_lane \from, AT + 24, B3
        add_lane \from, AT + 32, B4
        .set AT, AT + 40
    .endr
    ssai 31
    effect B4, B1
    mov D0_LOW, T
    mov D0_HIGH, U
    keep_effect 1, B0, B2
    keep_effect 2, B1, B3
    keep_effect 3, B2, B4
    keep_effect 4, B3, B0
.endm

/* Lane (x, y) + D, rotated to the left by \by. */
.macro take from, at, x, y, by, low, high
    load \from, \at + 8 * (\x + 5 * \y), \low, \high
    .if \x
    load a1, D + 8 * \x, T, U
    xor T, T, \low
    xor U, U, \high
    .else
    xor T, \low, D0_LOW
    xor U, \high, D0_HIGH
    .endif
    .if \by % 32
    ssai 32 - \by % 32
    .endif
    .if \by == 0
    mov \low, T
    mov \high, U
    .elseif \by < 32
    src \low, T, U
    src \high, U, T
    .else
    src \low, U, T
    src \high, T, U
    .endif
.endm

/* A word of chi. \op takes the place of AND NOT, depending on which lanes are complemented. */
.macro chi_word to, at, iota, op, b0, b1, b2
    \op T, \b1, \b2
    xor T, T, \b0
    .if \iota >= 0
    l32i U, a1, CONSTANT
    l32i U, U, \iota
    xor T, T, U
    .endif
    s32i T, \to, \at
.endm

/* Lane (x, y) of the result, from lanes x to x + 2 of the row. */
.macro chi to, at, x, y, op, b0, b0h, b1, b1h, b2, b2h
    .if \x + \y
    chi_word \to, \at + 8 * (\x + 5 * \y), -1, \op, \b0, \b1, \b2
    chi_word \to, \at + 8 * (\x + 5 * \y) + 4, -1, \op, \b0h, \b1h, \b2h
    .else
    chi_word \to, \at, 0, \op, \b0, \b1, \b2
    chi_word \to, \at + 4, 4, \op, \b0h, \b1h, \b2h
    .endif
.endm

.macro complement low, high
    movi U, -1
    xor \low, \low, U
    xor \high, \high, U
.endm

/* Lane x of row y comes from lane (x + 3 y, x). */
.macro rows from, at_from, to, at_to
    take \from, \at_from, 0, 0, 0, B0
    take \from, \at_from, 1, 1, 44, B1
    take \from, \at_from, 2, 2, 43, B2
    take \from, \at_from, 3, 3, 21, B3
    take \from, \at_from, 4, 4, 14, B4
    chi \to, \at_to, 0, 0, or, B0, B1, B2
    chi \to, \at_to, 2, 0, and, B2, B3, B4
    chi \to, \at_to, 3, 0, or, B3, B4, B0
    chi \to, \at_to, 4, 0, and, B4, B0, B1
    complement B2
    chi \to, \at_to, 1, 0, or, B1, B2, B3
    take \from, \at_from, 3, 0, 28, B0
    take \from, \at_from, 4, 1, 20, B1
    take \from, \at_from, 0, 2, 3, B2
    take \from, \at_from, 1, 3, 45, B3
    take \from, \at_from, 2, 4, 61, B4
    chi \to, \at_to, 0, 1, or, B0, B1, B2
    chi \to, \at_to, 1, 1, and, B1, B2, B3
    chi \to, \at_to, 3, 1, or, B3, B4, B0
    chi \to, \at_to, 4, 1, and, B4, B0, B1
    complement B4
    chi \to, \at_to, 2, 1, or, B2, B3, B4
    take \from, \at_from, 1, 0, 1, B0
    take \from, \at_from, 2, 1, 6, B1
    take \from, \at_from, 3, 2, 25, B2
    take \from, \at_from, 4, 3, 8, B3
    take \from, \at_from, 0, 4, 18, B4
    chi \to, \at_to, 0, 2, or, B0, B1, B2
    chi \to, \at_to, 1, 2, and, B1, B2, B3
    chi \to, \at_to, 4, 2, and, B4, B0, B1
    complement B3
    chi \to, \at_to, 2, 2, and, B2, B3, B4
    chi \to, \at_to, 3, 2, or, B3, B4, B0
    take \from, \at_from, 4, 0, 27, B0
    take \from, \at_from, 0, 1, 36, B1
    take \from, \at_from, 1, 2, 10, B2
    take \from, \at_from, 2, 3, 15, B3
    take \from, \at_from, 3, 4, 56, B4
    chi \to, \at_to, 0, 3, and, B0, B1, B2
    chi \to, \at_to, 1, 3, or, B1, B2, B3
    chi \to, \at_to, 4, 3, or, B4, B0, B1
    complement B3
    chi \to, \at_to, 2, 3, or, B2, B3, B4
    chi \to, \at_to, 3, 3, and, B3, B4, B0
    take \from, \at_from, 2, 0, 62, B0
    take \from, \at_from, 3, 1, 55, B1
    take \from, \at_from, 4, 2, 39, B2
    take \from, \at_from, 0, 3, 41, B3
    take \from, \at_from, 1, 4, 2, B4
    chi \to, \at_to, 2, 4, and, B2, B3, B4
    chi \to, \at_to, 3, 4, or, B3, B4, B0
    chi \to, \at_to, 4, 4, and, B4, B0, B1
    complement B1
    chi \to, \at_to, 0, 4, and, B0, B1, B2
    chi \to, \at_to, 1, 4, or, B1, B2, B3
.endm

.macro round from, at_from, to, at_to
    theta \from, \at_from
    rows \from, \at_from, \to, \at_to
    l32i T, a1, CONSTANT
    addi T, T, 8
    s32i T, a1, CONSTANT
.endm

/* Complements the six lanes at the start and back at the end. */
.macro complement_six
    .irp lane, 1, 2, 8, 12, 17, 20
        load LANES, 8 * \lane, B0
        complement B0
        s32i a4, LANES, 8 * \lane
        s32i a5, LANES, 8 * \lane + 4
    .endr
.endm

kernel selo_keccak_f1600
    enter FRAME
    movi T, constants
    s32i T, a1, CONSTANT
    complement_six
1:
    round LANES, 0, a1, OTHER
    round a1, OTHER, LANES, 0
    movi U, constants_end
    beq T, U, 2f
    j 1b
2:
    complement_six
    movi T, 0               /* the state of the last round but one would give away the input */
    .set AT, OTHER
    .rept 50
        s32i T, a1, AT
        .set AT, AT + 4
    .endr
    leave FRAME
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
