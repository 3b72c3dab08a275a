/*
 * Sum and difference modulo 2^255 - 19 on RV32 with the multiplier of M.
 *
 *   void selo_field25519_butterfly_riscv32(uint8_t a[32], uint8_t b[32]);
 *
 * (a, b) = (a + b, a - b) mod p. The sum is below 2^255 + 2^224, the difference below 2^256. a and
 * b must be apart. Both are aligned to 4 bytes.
 *
 * The top words come first, so that one pass from the bottom is enough.
 *
 * Cost of selo_field25519_butterfly_riscv32: 124 instructions, no stack, 456 bytes of flash
 * (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32

#include "x25519_field.inc"

#define CARRY a2
#define BORROW a3

kernel selo_field25519_butterfly_riscv32
    lw t0, 28(a0)
    lw t1, 28(a1)
    add t2, t0, t1
    sltu CARRY, t2, t0
    take_above_255 t2, CARRY, CARRY
    subtract_top t3, t0, t1, BORROW
    .set AT, 0
    .rept 7
        lw t0, AT(a0)
        lw t1, AT(a1)
        add t4, t0, t1
        sltu T, t4, t0
        add t4, t4, CARRY
        sltu CARRY, t4, CARRY
        add CARRY, CARRY, T
        sw t4, AT(a0)
        subtract_and_borrow t4, t0, t1, BORROW
        sw t4, AT(a1)
        .set AT, AT + 4
    .endr
    add t2, t2, CARRY
    sub t3, t3, BORROW
    sw t2, 28(a0)
    sw t3, 28(a1)
    ret
kernel_end selo_field25519_butterfly_riscv32

#endif
