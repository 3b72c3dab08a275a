/*
 * Poly1305 on RV32 with a multiplier.
 *
 *   void selo_poly1305_blocks(struct selo_poly1305 *mac, const uint8_t *data, size_t blocks);
 *   void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17]);
 *
 * For each block, sum = (sum + block) * multiplier modulo p = 2^130 - 5 [RFC8439, 2.5]. The first
 * function takes at least one block of 16 bytes, each of which is followed by a bit. The second
 * takes a number of 17 bytes, the last of which is 0 or 1. data has any alignment; whole words are
 * loaded where it is a multiple of 4.
 *
 * The sum has five words h0 to h4, where h4 is at most 4, and the multiplier four, r0 to r3, below 2^28,
 * the last three of which are multiples of 4. 2^128 times one of these is 5 / 4 of it modulo p: s1 to
 * s3. Bounds: with a block h4 is at most 6. A column has at most four products below
 * 2^32 1.25 2^28 = 1.25 2^60, one of h4 below 6 * 1.25 2^28 < 2^31, and a carry below 2^32: less than 2^63.
 * What comes back from the fifth word, 5 / 4 of it, is below 1.25 (6 * 2^28 + 1.25 2^30) = 3.44 2^30.
 *
 * Cost of selo_poly1305_block: 199 instructions, 48 bytes of stack, 780 bytes of flash for both
 * (tests/riscv/run.sh --figures). Each block after the first takes 146, from aligned words.
 */
#include "../api.h"

#if SELO_NATIVE_POLY1305 && SELO_BACKEND_RISCV32_MUL

#include "kernel.inc"

#define MAC a0
#define DATA a1
#define LEFT a2
#define TOP a3 /* what follows a block's 16 bytes */
#define H0 s0
#define H1 s1
#define H2 s2
#define H3 s3
#define H4 s4
#define R0 s5
#define R1 s6
#define R2 s7
#define R3 s8
#define S1 s9
#define S2 s10
#define S3 s11
#define LOW t0
#define HIGH t1
#define SUM0 a4
#define SUM1 a5
#define SUM2 a6

/* Where struct selo_poly1305 has the multiplier. */
#define MULTIPLIER 20

/* HIGH and LOW += x y. */
.macro add_product x, y
    mul t2, \x, \y
    mulhu t3, \x, \y
    add LOW, LOW, t2
    sltu t2, LOW, t2
    add HIGH, HIGH, t3
    add HIGH, HIGH, t2
.endm

/* A column after another: LOW = what was HIGH + the first product. */
.macro begin_column x, y
    mul t2, \x, \y
    mv LOW, HIGH
    mulhu HIGH, \x, \y
    add LOW, LOW, t2
    sltu t2, LOW, t2
    add HIGH, HIGH, t2
.endm

/* The product of h4, which is below 2^31. */
.macro add_top y
    mul t2, H4, \y
    add LOW, LOW, t2
    sltu t2, LOW, t2
    add HIGH, HIGH, t2
.endm

/* t2 = the word at DATA + \at, byte by byte. */
.macro load_bytes at
    lbu t2, \at(DATA)
    lbu t3, \at + 1(DATA)
    lbu t4, \at + 2(DATA)
    lbu t5, \at + 3(DATA)
    slli t3, t3, 8
    slli t4, t4, 16
    slli t5, t5, 24
    or t2, t2, t3
    or t4, t4, t5
    or t2, t2, t4
.endm

/* \h += t2 and the carry t6, which is the next one. */
.macro add_word h
    add \h, \h, t6
    sltu t6, \h, t6
    add \h, \h, t2
    sltu t2, \h, t2
    add t6, t6, t2
.endm

/* The sum += the words that \load loads, and TOP. */
.macro add_block load
    \load 0
    add H0, H0, t2
    sltu t6, H0, t2
    \load 4
    add_word H1
    \load 8
    add_word H2
    \load 12
    add_word H3
    add H4, H4, t6
    add H4, H4, TOP
.endm

.macro load_word at
    lw t2, \at(DATA)
.endm

.macro scaled to, from
    srli \to, \from, 2
    add \to, \to, \from
.endm

kernel selo_poly1305_blocks
    li TOP, 1
    j blocks
entry selo_poly1305_block
    lbu TOP, 16(DATA)
    li LEFT, 1
blocks:
    save s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
    lw H0, 0(MAC)
    lw H1, 4(MAC)
    lw H2, 8(MAC)
    lw H3, 12(MAC)
    lw H4, 16(MAC)
    lw R0, MULTIPLIER(MAC)
    lw R1, MULTIPLIER + 4(MAC)
    lw R2, MULTIPLIER + 8(MAC)
    lw R3, MULTIPLIER + 12(MAC)
    scaled S1, R1
    scaled S2, R2
    scaled S3, R3
1:
    andi t2, DATA, 3
    beqz t2, 2f
    add_block load_bytes
    j 3f
2:
    add_block load_word
3:
    mul LOW, H0, R0
    mulhu HIGH, H0, R0
    add_product H1, S3
    add_product H2, S2
    add_product H3, S1
    mv SUM0, LOW
    begin_column H0, R1
    add_product H1, R0
    add_product H2, S3
    add_product H3, S2
    add_top S1
    mv SUM1, LOW
    begin_column H0, R2
    add_product H1, R1
    add_product H2, R0
    add_product H3, S3
    add_top S2
    mv SUM2, LOW
    begin_column H0, R3
    add_product H1, R2
    add_product H2, R1
    add_product H3, R0
    add_top S3
    mul H4, H4, R0
    add H4, H4, HIGH
    /* 5 (h4 / 4) is h4 / 4, rounded down, and h4 less its lower two bits. */
    srli t2, H4, 2
    andi t3, H4, -4
    add t2, t2, t3
    andi H4, H4, 3
    add H0, SUM0, t2
    sltu t2, H0, t2
    add H1, SUM1, t2
    sltu t2, H1, t2
    add H2, SUM2, t2
    sltu t2, H2, t2
    add H3, LOW, t2
    sltu t2, H3, t2
    add H4, H4, t2
    addi DATA, DATA, 16
    addi LEFT, LEFT, -1
    bnez LEFT, 1b
    sw H0, 0(MAC)
    sw H1, 4(MAC)
    sw H2, 8(MAC)
    sw H3, 12(MAC)
    sw H4, 16(MAC)
    restore_and_return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
kernel_end selo_poly1305_blocks

#endif
