/*
 * The compression function of BLAKE2s on RV32.
 *
 *   void selo_blake2s_compress(uint32_t state[8], const uint8_t block[64], uint32_t size,
 *                              uint32_t last);
 *
 * state = F(state, block, size, last) [RFC7693, 3.2].
 *
 * The working vector and nine words of the message are in registers. The ten rounds are unrolled,
 * so that the permutations of the message are constants. A message that is not aligned to 4 bytes,
 * whose address is public, is copied to the stack first. With Zbb or Zbkb a rotation is one
 * instruction.
 *
 * Cost of selo_blake2s_compress: 1,925 instructions, 6,076 bytes of flash; with Zbb 1,285
 * instructions, 4,156 bytes of flash; 64 bytes of stack, and 64 more for a message that is not
 * aligned (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_BLAKE2S && SELO_BACKEND_RISCV32

#include "rotate.inc"

#define V0 a4
#define V1 a5
#define V2 a6
#define V3 a7
#define V4 t0
#define V5 t1
#define V6 t2
#define V7 t3
#define V8 t4
#define V9 t5
#define V10 s0
#define V11 s1
#define V12 a2
#define V13 s2
#define V14 a3
#define V15 s3
#define T t6

/* to += a word of the message, which is in a register or at a1. */
.macro add_message to, word
    .set FOUND, 0
    .irp register, s4, s5, s6, s7, s8, s9, s10, s11, ra
        .if \word == FOUND
            add \to, \to, \register
        .endif
        .set FOUND, FOUND + 1
    .endr
    .if \word >= FOUND
        lw T, 4 * \word(a1)
        add \to, \to, T
    .endif
.endm

.macro turn d, a, by
    xor \d, \d, \a
    rotate_right \d, \by, T
.endm

/* G [RFC7693, 3.1] with words \x and \y of the message. */
.macro mix a, b, c, d, x, y
    add \a, \a, \b
    add_message \a, \x
    turn \d, \a, 16
    add \c, \c, \d
    turn \b, \c, 12
    add \a, \a, \b
    add_message \a, \y
    turn \d, \a, 8
    add \c, \c, \d
    turn \b, \c, 7
.endm

.macro round s0_, s1_, s2_, s3_, s4_, s5_, s6_, s7_, s8_, s9_, s10_, s11_, s12_, s13_, s14_, s15_
    mix V0, V4, V8, V12, \s0_, \s1_
    mix V1, V5, V9, V13, \s2_, \s3_
    mix V2, V6, V10, V14, \s4_, \s5_
    mix V3, V7, V11, V15, \s6_, \s7_
    mix V0, V5, V10, V15, \s8_, \s9_
    mix V1, V6, V11, V12, \s10_, \s11_
    mix V2, V7, V8, V13, \s12_, \s13_
    mix V3, V4, V9, V14, \s14_, \s15_
.endm

/* A word of the state += two of the working vector. */
.macro settle at, v0, v1
    lw T, 4 * \at(a0)
    xor T, T, \v0
    xor T, T, \v1
    sw T, 4 * \at(a0)
.endm

/* Four words at \base, from \at on. */
.macro load_four base, at, v0, v1, v2, v3
    lw \v0, \at(\base)
    lw \v1, \at + 4(\base)
    lw \v2, \at + 8(\base)
    lw \v3, \at + 12(\base)
.endm

/* The 64 bytes at a1, which have no alignment, to those at sp. */
.macro copy_message
    mv a4, sp
    addi a5, sp, 64
3:
    lbu a6, 0(a1)
    lbu a7, 1(a1)
    lbu t0, 2(a1)
    lbu t1, 3(a1)
    slli a7, a7, 8
    slli t0, t0, 16
    slli t1, t1, 24
    or a6, a6, a7
    or t0, t0, t1
    or a6, a6, t0
    sw a6, 0(a4)
    addi a1, a1, 4
    addi a4, a4, 4
    bne a4, a5, 3b
.endm

/* The stack: a copy of the message or nothing, what is saved. */
kernel selo_blake2s_compress
    save s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra
    addi sp, sp, -64
    andi T, a1, 3
    beqz T, 1f
    copy_message
    mv a1, sp
1:
    la T, iv
    load_four T, 0, V8, V9, V10, V11
    load_four T, 16, V4, V13, V6, V15
    xor V12, V12, V4
    xor V14, V14, V6
    load_four a0, 0, V0, V1, V2, V3
    load_four a0, 16, V4, V5, V6, V7
    load_four a1, 0, s4, s5, s6, s7
    load_four a1, 16, s8, s9, s10, s11
    lw ra, 32(a1)
    round 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    round 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3
    round 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4
    round 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8
    round 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13
    round 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9
    round 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11
    round 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10
    round 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5
    round 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0
    settle 0, V0, V8
    settle 1, V1, V9
    settle 2, V2, V10
    settle 3, V3, V11
    settle 4, V4, V12
    settle 5, V5, V13
    settle 6, V6, V14
    settle 7, V7, V15
    bne a1, sp, 2f
    .set AT, 0
    .rept 16                /* the message of a keyed hash begins with the key */
        sw zero, AT(sp)
        .set AT, AT + 4
    .endr
2:
    addi sp, sp, 64
    restore_and_return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra
    .balign 4
iv: /* [RFC7693, 2.6] */
    .word 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a
    .word 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
kernel_end selo_blake2s_compress

#endif
