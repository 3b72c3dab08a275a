/*
 * Subtraction modulo 2^255 - 19 on RV32 with the multiplier of M.
 *
 *   void selo_field25519_subtract_riscv32(uint8_t r[32], const uint8_t a[32],
 *                                         const uint8_t b[32]);
 *
 * r = a - b mod p, below 2^256. r may be a or b. All three are aligned to 4 bytes.
 *
 * Cost of selo_field25519_subtract_riscv32: 71 instructions, no stack, 280 bytes of flash
 * (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32

#include "x25519_field.inc"

kernel selo_field25519_subtract_riscv32
    lw t0, 28(a1)
    lw t1, 28(a2)
    subtract_top t2, t0, t1, a3
    .set AT, 0
    .rept 7
        lw t0, AT(a1)
        lw t1, AT(a2)
        subtract_and_borrow t0, t0, t1, a3
        sw t0, AT(a0)
        .set AT, AT + 4
    .endr
    sub t2, t2, a3
    sw t2, 28(a0)
    ret
kernel_end selo_field25519_subtract_riscv32

#endif
