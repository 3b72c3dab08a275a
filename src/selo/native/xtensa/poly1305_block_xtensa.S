/*
 * The block step of Poly1305 on Xtensa with the call0 ABI and MUL16, in ten words of 13 bits.
 *
 *   void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17]);
 *
 * mac.sum = (mac.sum + block) r modulo 2^130 - 5 [RFC8439, 2.5], with 13 bits in a word, of which the
 * second may exceed that by 1. mac is aligned to 2 bytes; it has sum, then multiplier: 5 times the
 * words of r from the second on, then r (poly1305.h).
 *
 * As poly1305_halves.c, whose bounds these are. The ten words of mac.sum + block stay in registers for
 * all columns. A column's words of r follow each other.
 *
 * Cost of selo_poly1305_block: 487 instructions, 32 bytes of stack, 466 bytes of flash
 * (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_POLY1305_HALVES && SELO_BACKEND_XTENSA

#include "kernel.inc"

#define FRAME 32
#define MULTIPLIER 20
#define MAC a2
#define BLOCK a3
#define CARRY a13 /* until word 9 has its place there */
#define T a0

/* to = the word at BLOCK, which has no alignment, and BLOCK moves on. */
.macro load_word to
    l8ui \to, BLOCK, 0
    l8ui T, BLOCK, 1
    slli T, T, 8
    or \to, \to, T
    l8ui T, BLOCK, 2
    slli T, T, 16
    or \to, \to, T
    l8ui T, BLOCK, 3
    slli T, T, 24
    or \to, \to, T
    addi BLOCK, BLOCK, 4
.endm

/* word = itself + word \i of the sum + the carry; a new carry. */
.macro add_word word, i
    l16ui T, MAC, 2 * \i
    add \word, \word, T
    add \word, \word, CARRY
    srli CARRY, \word, 13
    extui \word, \word, 0, 13
.endm

.macro within word, i, from, at
    extui \word, \from, \at, 13
    add_word \word, \i
.endm

.macro across word, i, lower, at, upper
    ssai \at
    src \word, \upper, \lower
    within \word, \i, \word, 0
.endm

/* a14 += a word of the sum times word \k of the multiplier. */
.macro add_product word, k
    l16ui T, MAC, MULTIPLIER + 2 * \k
    mul16u T, T, \word
    add a14, a14, T
.endm

kernel selo_poly1305_block
    enter FRAME
    movi CARRY, 0
    load_word a14
    within a4, 0, a14, 0
    within a5, 1, a14, 13
    load_word a15
    across a6, 2, a14, 26, a15
    within a7, 3, a15, 7
    load_word a14
    across a8, 4, a15, 20, a14
    within a9, 5, a14, 1
    within a10, 6, a14, 14
    load_word a15
    across a11, 7, a14, 27, a15
    within a12, 8, a15, 8
    l8ui a14, BLOCK, 0
    ssai 21
    src a14, a14, a15
    extui a14, a14, 0, 13
    l16ui T, MAC, 2 * 9
    add a14, a14, T
    add a13, a13, a14       /* word 9 keeps its carry */
    addi a3, MAC, 20
    movi a14, 0
1:  /* A column. MAC moves on with it. */
    add_product a4, 9
    add_product a5, 8
    add_product a6, 7
    add_product a7, 6
    add_product a8, 5
    add_product a9, 4
    add_product a10, 3
    add_product a11, 2
    add_product a12, 1
    add_product a13, 0
    extui T, a14, 0, 13
    s16i T, MAC, 0
    srli a14, a14, 13
    addi MAC, MAC, 2
    bne MAC, a3, 1b
    /* 2^130 = 5 */
    addi MAC, MAC, -20
    addx4 a14, a14, a14
    l16ui T, MAC, 0
    add a14, a14, T
    extui T, a14, 0, 13
    s16i T, MAC, 0
    srli a14, a14, 13
    l16ui T, MAC, 2
    add T, T, a14
    s16i T, MAC, 2
    leave FRAME
kernel_end selo_poly1305_block

#endif
