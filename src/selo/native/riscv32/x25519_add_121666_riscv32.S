/*
 * The multiplication by the constant of Curve25519 on RV32 with the multiplier of M.
 *
 *   void selo_field25519_add_121666_riscv32(uint8_t a[32], const uint8_t b[32]);
 *
 * a = a + 121666 b mod p, below 2^255 + 2^242. a and b must be apart. Both are aligned to 4 bytes.
 *
 * Cost of selo_field25519_add_121666_riscv32: 96 instructions, no stack, 328 bytes of flash
 * (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32

#include "x25519_field.inc"

kernel selo_field25519_add_121666_riscv32
    li a2, 121666
    lw t0, 28(a0)
    lw t1, 28(a1)
    add_product t0, t1, a2, a3
    take_above_255 t0, a3, a3
    .set AT, 0
    .rept 7
        lw t1, AT(a1)
        lw t2, AT(a0)
        add_product_and_carry t2, t1, a2, a3
        sw t2, AT(a0)
        .set AT, AT + 4
    .endr
    add t0, t0, a3
    sw t0, 28(a0)
    ret
kernel_end selo_field25519_add_121666_riscv32

#endif
