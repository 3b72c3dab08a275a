/*
 * An entry of the table of multiples for X25519 on RV32.
 *
 *   void selo_x25519_lookup_riscv32(uint8_t entry[96], uint8_t index);
 *
 * entry = entry `index` of selo_x25519_table, which has 16 entries in chunks of 24 bytes
 * (SELO_X25519_TEETH is 5). entry is aligned to 4 bytes. The whole table is read, in the same
 * order for each index, and all but one entry masked away.
 *
 * Cost of selo_x25519_lookup_riscv32: 1,604 instructions, no stack, 152 bytes of flash
 * (tests/riscv/run.sh --figures).
 */
#include "../../x25519/x25519_base.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32 && SELO_X25519_TEETH == 5

#include "kernel.inc"

.macro masked word, at
    lw t6, \at(a2)
    and t6, t6, a6
    or \word, \word, t6
.endm

kernel selo_x25519_lookup_riscv32
    la a2, selo_x25519_table
    addi a3, a0, 96
1:  /* A chunk of the entry. */
    li t0, 0
    li t1, 0
    li t2, 0
    li t3, 0
    li t4, 0
    li t5, 0
    mv a4, a1               /* 0 at the entry */
    li a5, 16
2:
    seqz a6, a4
    neg a6, a6              /* the mask */
    masked t0, 0
    masked t1, 4
    masked t2, 8
    masked t3, 12
    masked t4, 16
    masked t5, 20
    addi a2, a2, 24
    addi a4, a4, -1
    addi a5, a5, -1
    bnez a5, 2b
    sw t0, 0(a0)
    sw t1, 4(a0)
    sw t2, 8(a0)
    sw t3, 12(a0)
    sw t4, 16(a0)
    sw t5, 20(a0)
    addi a0, a0, 24
    bne a0, a3, 1b
    ret
kernel_end selo_x25519_lookup_riscv32

#endif
