/*
 * The multiplication of GHASH on Xtensa with MUL16 and the call0 ABI.
 *
 *   void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16]);
 *
 * product = product * key in GF(2^128) [SP800-38D, 6.3]. Both have any alignment.
 *
 * Polynomials are multiplied with the integer multiplier, as mode/ghash_multiply.c explains. MUL16U
 * gives all bits of a product of 16 by 16; a column has 6 ones at most, so every third bit of a factor
 * may be set.
 *
 * 27 products, by Karatsuba three times. Words read as big-endian numbers have the coefficient of
 * x^0 on top, so the product of 255 bits moves up by one, and its lower half is reduced.
 *
 * Cost of selo_ghash_multiply: 1,228 instructions, 112 bytes of stack, 1,121 bytes of flash
 * (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_GHASH && SELO_BACKEND_XTENSA

#include "kernel.inc"

/* The frame above what `enter` saves: the product; nine pairs of factors, whose places their products
 * take; the product of the upper halves. */
#define PRODUCT 20
#define PAIRS 24
#define UPPER 96
#define FRAME 112

/* Every third bit, from bit 0 on, from bit 1 on and from bit 2 on. */
#define MASK0 a12
#define MASK1 a13
#define MASK2 a14
#define NEXT a15

/* to = the big-endian word at \at(from). Uses a0. */
.macro load_word to, from, at
    l8ui \to, \from, \at
    .irp byte, 1, 2, 3
    l8ui a0, \from, \at + \byte
    slli \to, \to, 8
    or \to, \to, a0
    .endr
.endm

/* The first or second factors of all pairs, from 16 bytes. Uses a0 and a4 to a9. */
.macro factors from, at
    load_word a7, \from, 0
    load_word a6, \from, 4
    load_word a5, \from, 8
    load_word a4, \from, 12
    xor a8, a4, a5
    xor a9, a6, a7
    s32i a4, a1, PAIRS + \at
    s32i a5, a1, PAIRS + \at + 8
    s32i a8, a1, PAIRS + \at + 16
    s32i a6, a1, PAIRS + \at + 24
    s32i a7, a1, PAIRS + \at + 32
    s32i a9, a1, PAIRS + \at + 40
    xor a4, a4, a6
    xor a5, a5, a7
    xor a8, a4, a5
    s32i a4, a1, PAIRS + \at + 48
    s32i a5, a1, PAIRS + \at + 56
    s32i a8, a1, PAIRS + \at + 64
.endm

/* a10 = a x + b y + c z, integers added without carries. Uses a11. */
.macro sum_of_products a, x, b, y, c, z
    mul16u a10, \a, \x
    mul16u a11, \b, \y
    xor a10, a10, a11
    mul16u a11, \c, \z
    xor a10, a10, a11
.endm

/* a2 = the product of the polynomials of 16 bits a2 and a3. Uses a4 to a11. */
.macro multiply_halves
    and a4, a2, MASK0
    and a5, a2, MASK1
    and a6, a2, MASK2
    and a7, a3, MASK0
    and a8, a3, MASK1
    and a9, a3, MASK2
    sum_of_products a4, a7, a5, a9, a6, a8
    and a2, a10, MASK0
    sum_of_products a4, a8, a5, a7, a6, a9
    and a10, a10, MASK1
    or a2, a2, a10
    sum_of_products a4, a9, a5, a8, a6, a7
    and a10, a10, MASK2
    or a2, a2, a10
.endm

/* w0 to w3 = the product of 64 bits by 64 whose three products are at \at. Uses a14 and a15. */
.macro combine at, w0, w1, w2, w3
    l32i \w0, a1, PAIRS + \at
    l32i \w1, a1, PAIRS + \at + 4
    l32i \w2, a1, PAIRS + \at + 8
    l32i \w3, a1, PAIRS + \at + 12
    l32i a14, a1, PAIRS + \at + 16
    l32i a15, a1, PAIRS + \at + 20
    xor a14, a14, \w0
    xor a15, a15, \w1
    xor a14, a14, \w2
    xor a15, a15, \w3
    xor \w1, \w1, a14
    xor \w2, \w2, a15
.endm

/* x^128 = 1 + x + x^2 + x^7: word \low comes back 128 bits further up, in two words. Uses a14. */
.macro reduce low, high, below
    xor \high, \high, \low
    .irp by, 1, 2, 7
    srli a14, \low, \by
    xor \high, \high, a14
    .endr
    .irp by, 31, 30, 25
    slli a14, \low, \by
    xor \below, \below, a14
    .endr
.endm

.macro store_word word, at
    s8i \word, a14, \at + 3
    .irp byte, 2, 1, 0
    srli \word, \word, 8
    s8i \word, a14, \at + \byte
    .endr
.endm

kernel selo_ghash_multiply
    enter FRAME
    s32i a2, a1, PRODUCT
    factors a2, 0
    factors a3, 4
    movi MASK0, 0x49249249
    slli MASK1, MASK0, 1
    slli MASK2, MASK0, 2
    addi NEXT, a1, PAIRS
1:
    l16ui a2, NEXT, 2
    l16ui a3, NEXT, 6
    multiply_halves
    s32i a2, a1, UPPER
    l16ui a2, NEXT, 0
    l16ui a3, NEXT, 4
    multiply_halves
    mov a0, a2
    l32i a2, NEXT, 0
    l32i a3, NEXT, 4
    extui a4, a2, 16, 16
    extui a5, a3, 16, 16
    xor a2, a2, a4
    xor a3, a3, a5
    extui a2, a2, 0, 16
    extui a3, a3, 0, 16
    multiply_halves
    l32i a3, a1, UPPER
    xor a2, a2, a0
    xor a2, a2, a3
    slli a4, a2, 16
    xor a0, a0, a4
    extui a2, a2, 16, 16
    xor a3, a3, a2
    s32i a0, NEXT, 0
    s32i a3, NEXT, 4
    addi NEXT, NEXT, 8
    addi a2, a1, UPPER
    bne NEXT, a2, 1b

    combine 0, a2, a3, a4, a5
    combine 24, a6, a7, a8, a9
    combine 48, a10, a11, a12, a13
    xor a10, a10, a2
    xor a11, a11, a3
    xor a12, a12, a4
    xor a13, a13, a5
    xor a10, a10, a6
    xor a11, a11, a7
    xor a12, a12, a8
    xor a13, a13, a9
    xor a4, a4, a10
    xor a5, a5, a11
    xor a6, a6, a12
    xor a7, a7, a13
    ssai 31
    src a9, a9, a8
    src a8, a8, a7
    src a7, a7, a6
    src a6, a6, a5
    src a5, a5, a4
    src a4, a4, a3
    src a3, a3, a2
    slli a2, a2, 1
    reduce a2, a6, a5
    reduce a3, a7, a6
    reduce a4, a8, a7
    reduce a5, a9, a8
    l32i a14, a1, PRODUCT
    store_word a9, 0
    store_word a8, 4
    store_word a7, 8
    store_word a6, 12
    /* The products would give away the key. */
    movi a2, 0
    .set AT, PAIRS
    .rept 19
    s32i a2, a1, AT
    .set AT, AT + 4
    .endr
    leave FRAME
kernel_end selo_ghash_multiply

#endif
