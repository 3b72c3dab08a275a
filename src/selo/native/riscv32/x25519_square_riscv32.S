/*
 * Squaring modulo 2^255 - 19 on RV32 with the multiplier of M.
 *
 *   void selo_field25519_square_riscv32(uint8_t r[32], const uint8_t a[32]);
 *
 * r = a^2 mod p, below 2^255 + 2^230. r may be a. Both are aligned to 4 bytes.
 *
 *   void selo_field25519_square_core_riscv32(the same);
 *
 * is for other kernels: it keeps s10 alone.
 *
 * Schoolbook by rows. Row i has a_i^2, and a_i times the words above it of 2 a. So that 2 a has
 * eight words, bit 255 of a goes in at the bottom first, as 19.
 *
 * Cost of selo_field25519_square_riscv32: 416 instructions, 48 bytes of stack, 1,332 bytes of
 * flash (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32

#include "x25519_field.inc"

/* The words of a, and of 2 a from the third on. The first two names serve twice. */
#define A0 a2
#define A1 a3
#define A2 s0
#define A3 s1
#define A4 s2
#define A5 s3
#define A6 s4
#define A7 a1
#define D2 s5
#define D3 s6
#define D4 s7
#define D5 s8
#define D6 s9
#define D7 a7

/* The words of the product. Row 1 has used A0, and row 7 A1, when these get a word. */
#define P0 s11
#define P2 t0
#define P3 t1
#define P4 t2
#define P5 t3
#define P6 t4
#define P7 t5
#define P8 t6
#define P9 A0
#define P10 P2
#define P11 P3
#define P12 P4
#define P13 P5
#define P14 P6
#define P15 A1

/* T = 19 if bit 31 of A7 is 1, else 0; clears the bit. */
.macro take_bit_255
    srai T, A7, 31
    andi T, T, 19
    slli A7, A7, 1
    srli A7, A7, 1
.endm

.macro double_word to, word, below
    slli \to, \word, 1
    srli T, \below, 31
    or \to, \to, T
.endm

/* Starts a row: its first two products. `next` is the word of a above `word`. */
.macro square_row word, next, p0, p1, top
    add_product \p0, \word, \word, \top
    slli LO, \next, 1
    add_product_and_carry \p1, LO, \word, \top
.endm

kernel selo_field25519_square_riscv32
    save s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s11, ra
    call selo_field25519_square_core_riscv32
    restore_and_return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s11, ra
entry selo_field25519_square_core_riscv32
    lw A0, 0(a1)
    lw A1, 4(a1)
    lw A2, 8(a1)
    lw A3, 12(a1)
    lw A4, 16(a1)
    lw A5, 20(a1)
    lw A6, 24(a1)
    lw A7, 28(a1)
    take_bit_255
    .irp word, A0, A1, A2, A3, A4, A5, A6
        add \word, \word, T
        sltu T, \word, T
    .endr
    add A7, A7, T
    take_bit_255            /* again for the 19 numbers below 2^256, whose A0 is now below 19 */
    add A0, A0, T
    double_word D2, A2, A1
    double_word D3, A3, A2
    double_word D4, A4, A3
    double_word D5, A5, A4
    double_word D6, A6, A5
    double_word D7, A7, A6

    mul P0, A0, A0
    mulhu P8, A0, A0
    slli LO, A1, 1
    product_and_carry LO, LO, A0, P8
    sw LO, 4(a0)
    product_and_carry P2, D2, A0, P8
    product_and_carry P3, D3, A0, P8
    product_and_carry P4, D4, A0, P8
    product_and_carry P5, D5, A0, P8
    product_and_carry P6, D6, A0, P8
    product_and_carry P7, D7, A0, P8

    square_row A1, A2, P2, P3, P9
    add_product_and_carry P4, D3, A1, P9
    add_product_and_carry P5, D4, A1, P9
    add_product_and_carry P6, D5, A1, P9
    add_product_and_carry P7, D6, A1, P9
    add_product_and_carry P8, D7, A1, P9
    sw P2, 8(a0)
    sw P3, 12(a0)
    square_row A2, A3, P4, P5, P10
    add_product_and_carry P6, D4, A2, P10
    add_product_and_carry P7, D5, A2, P10
    add_product_and_carry P8, D6, A2, P10
    add_product_and_carry P9, D7, A2, P10
    sw P4, 16(a0)
    sw P5, 20(a0)
    square_row A3, A4, P6, P7, P11
    add_product_and_carry P8, D5, A3, P11
    add_product_and_carry P9, D6, A3, P11
    add_product_and_carry P10, D7, A3, P11
    sw P6, 24(a0)
    square_row A4, A5, P8, P9, P12
    add_product_and_carry P10, D6, A4, P12
    add_product_and_carry P11, D7, A4, P12
    square_row A5, A6, P10, P11, P13
    add_product_and_carry P12, D7, A5, P13
    square_row A6, A7, P12, P13, P14
    add_product P14, A7, A7, P15
    reduce_top P7, P15, A3
    reduce_low P0, P8, A3, P15
    reduce_stored A2, A3, P15, P9, P10, P11, P12, P13, P14
    reduce_end P7, P15
    ret
kernel_end selo_field25519_square_riscv32

#endif
