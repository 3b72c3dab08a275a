/*
 * The choice between two points of X25519 on RV32.
 *
 *   void selo_field25519_select_riscv32(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
 *                                       uint8_t choice);
 *
 * r = a if choice is 0, b if it is 1. r may be a or b. All three are aligned to 4 bytes. The
 * same instructions and addresses for both.
 *
 * Cost of selo_field25519_select_riscv32: 98 instructions, no stack, 200 bytes of flash
 * (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32

#include "kernel.inc"

kernel selo_field25519_select_riscv32
    neg a3, a3              /* the mask */
    .set AT, 0
    .rept 16
        lw a4, AT(a1)
        lw a5, AT(a2)
        xor a5, a5, a4
        and a5, a5, a3
        xor a4, a4, a5
        sw a4, AT(a0)
        .set AT, AT + 4
    .endr
    ret
kernel_end selo_field25519_select_riscv32

#endif
