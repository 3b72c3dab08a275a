/*
 * The multiplication of GHASH on RV32 with a multiplier.
 *
 *   void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16]);
 *
 * product = product * key in GF(2^128) [SP800-38D, 6.3]. Both have any alignment.
 *
 * Polynomials are multiplied with the integer multiplier, as mode/ghash_multiply.c explains: every
 * fourth bit of a factor may be set. MUL and MULHU give both halves of a product, so nothing is
 * mirrored. The time is the same for all data where it is for MUL and MULHU.
 *
 * Nine products of 32 bits, by Karatsuba twice. Words read as big-endian numbers have the
 * coefficient of x^0 on top, so the product of 255 bits moves up by one, and its lower half is
 * reduced.
 *
 * Cost of selo_ghash_multiply: 1,060 instructions, 1,328 bytes of flash, 112 bytes of stack
 * (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_GHASH && SELO_BACKEND_RISCV32

#include "kernel.inc"

/* Below what is saved: nine pairs of factors, whose places their products take. */
#define PAIRS 80

#define MASK0 a2 /* every fourth bit, from bit 0 on; MASK1 to MASK3 are one bit higher each */
#define MASK1 a3
#define MASK2 a4
#define MASK3 a5

/* to = the big-endian word at at(from). Uses t6. */
.macro load_word to, from, at
    lbu \to, \at(\from)
    lbu t6, \at + 1(\from)
    slli \to, \to, 8
    or \to, \to, t6
    lbu t6, \at + 2(\from)
    slli \to, \to, 8
    or \to, \to, t6
    lbu t6, \at + 3(\from)
    slli \to, \to, 8
    or \to, \to, t6
.endm

/* The first or second factors of all pairs, from 16 bytes. Uses t0 to t6. */
.macro factors from, at
    load_word t3, \from, 0
    load_word t2, \from, 4
    load_word t1, \from, 8
    load_word t0, \from, 12
    xor t4, t0, t1
    xor t5, t2, t3
    sw t0, \at(sp)
    sw t1, \at + 8(sp)
    sw t4, \at + 16(sp)
    sw t2, \at + 24(sp)
    sw t3, \at + 32(sp)
    sw t5, \at + 40(sp)
    xor t0, t0, t2
    xor t1, t1, t3
    xor t4, t0, t1
    sw t0, \at + 48(sp)
    sw t1, \at + 56(sp)
    sw t4, \at + 64(sp)
.endm

.macro every_fourth a0, a1, a2, a3, of
    and \a0, \of, MASK0
    and \a1, \of, MASK1
    and \a2, \of, MASK2
    and \a3, \of, MASK3
.endm

/* The products a x, b y, c z and d w, added, and their bits that mask selects: the first to low and
 * high, the others are added to them. Uses t0 to t3. */
.macro sum_of_products low, high, mask, a, x, b, y, c, z, d, w, first
    mul t0, \a, \x
    mulhu t1, \a, \x
    mul t2, \b, \y
    mulhu t3, \b, \y
    xor t0, t0, t2
    xor t1, t1, t3
    mul t2, \c, \z
    mulhu t3, \c, \z
    xor t0, t0, t2
    xor t1, t1, t3
    mul t2, \d, \w
    mulhu t3, \d, \w
    xor t0, t0, t2
    xor t1, t1, t3
    .if \first
    and \low, t0, \mask
    and \high, t1, \mask
    .else
    and t0, t0, \mask
    and t1, t1, \mask
    or \low, \low, t0
    or \high, \high, t1
    .endif
.endm

/* w0 to w3 = the product of 64 bits by 64 whose three products are at \at. Uses a1 and a2. */
.macro combine at, w0, w1, w2, w3
    lw \w0, \at(sp)
    lw \w1, \at + 4(sp)
    lw \w2, \at + 8(sp)
    lw \w3, \at + 12(sp)
    lw a1, \at + 16(sp)
    lw a2, \at + 20(sp)
    xor a1, a1, \w0
    xor a2, a2, \w1
    xor a1, a1, \w2
    xor a2, a2, \w3
    xor \w1, \w1, a1
    xor \w2, \w2, a2
.endm

/* word moves up by one bit, into which the highest of \below comes. Uses a1. */
.macro up word, below
    slli \word, \word, 1
    srli a1, \below, 31
    or \word, \word, a1
.endm

/* x^128 = 1 + x + x^2 + x^7: word \low comes back 128 bits further up, in two words. Uses a1. */
.macro reduce low, high, below
    xor \high, \high, \low
    .irp by, 1, 2, 7
        srli a1, \low, \by
        xor \high, \high, a1
    .endr
    .irp by, 31, 30, 25
        slli a1, \low, \by
        xor \below, \below, a1
    .endr
.endm

.macro store_word word, at
    .irp byte, 3, 2, 1
        sb \word, \at + \byte(a0)
        srli \word, \word, 8
    .endr
    sb \word, \at(a0)
.endm

kernel selo_ghash_multiply
    save s0, s1, s2, s3, s4, s5, s6, s7
    addi sp, sp, -PAIRS
    factors a0, 0
    factors a1, 4
    li MASK0, 0x11111111
    slli MASK1, MASK0, 1
    slli MASK2, MASK0, 2
    slli MASK3, MASK0, 3
    mv a6, sp
    addi a7, sp, 72
1:
    lw t0, 0(a6)
    lw t1, 4(a6)
    every_fourth s0, s1, s2, s3, t0
    every_fourth s4, s5, s6, s7, t1
    sum_of_products t4, t5, MASK0, s0, s4, s1, s7, s2, s6, s3, s5, 1
    sum_of_products t4, t5, MASK1, s0, s5, s1, s4, s2, s7, s3, s6, 0
    sum_of_products t4, t5, MASK2, s0, s6, s1, s5, s2, s4, s3, s7, 0
    sum_of_products t4, t5, MASK3, s0, s7, s1, s6, s2, s5, s3, s4, 0
    sw t4, 0(a6)
    sw t5, 4(a6)
    addi a6, a6, 8
    bne a6, a7, 1b

    combine 0, s0, s1, s2, s3
    combine 24, s4, s5, s6, s7
    combine 48, t0, t1, t2, t3
    xor t0, t0, s0
    xor t1, t1, s1
    xor t2, t2, s2
    xor t3, t3, s3
    xor t0, t0, s4
    xor t1, t1, s5
    xor t2, t2, s6
    xor t3, t3, s7
    xor s2, s2, t0
    xor s3, s3, t1
    xor s4, s4, t2
    xor s5, s5, t3
    up s7, s6
    up s6, s5
    up s5, s4
    up s4, s3
    up s3, s2
    up s2, s1
    up s1, s0
    slli s0, s0, 1
    reduce s0, s4, s3
    reduce s1, s5, s4
    reduce s2, s6, s5
    reduce s3, s7, s6
    store_word s7, 0
    store_word s6, 4
    store_word s5, 8
    store_word s4, 12
    /* The products would give away the key. */
    .set AT, 0
    .rept 18
        sw zero, AT(sp)
        .set AT, AT + 4
    .endr
    addi sp, sp, PAIRS
    restore_and_return s0, s1, s2, s3, s4, s5, s6, s7
kernel_end selo_ghash_multiply

#endif
