/*
 * Multiplication modulo 2^255 - 19 on RV32 with the multiplier of M.
 *
 *   void selo_field25519_multiply_riscv32(uint8_t r[32], const uint8_t a[32],
 *                                         const uint8_t b[32]);
 *
 * r = a b mod p, below 2^255 + 2^230. r may be a or b. All three are aligned to 4 bytes.
 *
 *   void selo_field25519_multiply_core_riscv32(the same);
 *
 * is for other kernels: it keeps s10 alone.
 *
 * Schoolbook by rows, with a and a window of the product in registers. Without a carry flag the
 * sums of Karatsuba's method cost more than the products that it saves. A row reads its word of b
 * before it writes a word of r at the same place.
 *
 * Cost of selo_field25519_multiply_riscv32: 595 instructions, 48 bytes of stack, 1,904 bytes of
 * flash (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32

#include "x25519_field.inc"

#define B a3

/* The words at r0 to r7 and top += a times word `row` of b; the first is final. */
.macro multiply_row row, top, r0, r1, r2, r3, r4, r5, r6, r7
    lw B, 4 * \row(a2)
    add_product \r0, s0, B, \top
    add_product_and_carry \r1, s1, B, \top
    add_product_and_carry \r2, s2, B, \top
    add_product_and_carry \r3, s3, B, \top
    add_product_and_carry \r4, s4, B, \top
    add_product_and_carry \r5, s5, B, \top
    add_product_and_carry \r6, s6, B, \top
    add_product_and_carry \r7, a1, B, \top
    .if \row >= 3 && \row < 7
    sw \r0, 4 * \row(a0)
    .endif
.endm

kernel selo_field25519_multiply_riscv32
    save s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s11, ra
    call selo_field25519_multiply_core_riscv32
    restore_and_return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s11, ra
entry selo_field25519_multiply_core_riscv32
    lw s0, 0(a1)
    lw s1, 4(a1)
    lw s2, 8(a1)
    lw s3, 12(a1)
    lw s4, 16(a1)
    lw s5, 20(a1)
    lw s6, 24(a1)
    lw a1, 28(a1)
    lw B, 0(a2)
    mul s8, s0, B
    mulhu s7, s0, B
    product_and_carry t0, s1, B, s7
    product_and_carry t1, s2, B, s7
    product_and_carry t2, s3, B, s7
    product_and_carry t3, s4, B, s7
    product_and_carry t4, s5, B, s7
    product_and_carry t5, s6, B, s7
    product_and_carry t6, a1, B, s7
    multiply_row 1, a7, t0, t1, t2, t3, t4, t5, t6, s7
    multiply_row 2, s9, t1, t2, t3, t4, t5, t6, s7, a7
    multiply_row 3, s11, t2, t3, t4, t5, t6, s7, a7, s9
    multiply_row 4, t2, t3, t4, t5, t6, s7, a7, s9, s11
    multiply_row 5, t3, t4, t5, t6, s7, a7, s9, s11, t2
    multiply_row 6, t4, t5, t6, s7, a7, s9, s11, t2, t3
    multiply_row 7, t5, t6, s7, a7, s9, s11, t2, t3, t4
    /* The low words are in s8, t0, t1, at r, and in t6. */
    reduce_top t6, t5, B
    reduce_low s8, s7, B, t5
    reduce_low t0, a7, B, t5
    reduce_low t1, s9, B, t5
    reduce_stored a1, B, t5, s11, t2, t3, t4
    reduce_end t6, t5
    ret
kernel_end selo_field25519_multiply_riscv32

#endif
