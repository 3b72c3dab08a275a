/*
 * An entry of the table of multiples for X25519 on Xtensa with the call0 ABI.
 *
 *   void selo_x25519_lookup_xtensa(uint8_t entry[96], uint8_t index);
 *
 * entry = entry `index` of selo_x25519_table, which has 16 entries in chunks of 24 bytes
 * (SELO_X25519_TEETH is 5). entry is aligned to 4 bytes. The whole table is read, in the same
 * order for each index; a conditional move keeps one entry.
 *
 * Cost of selo_x25519_lookup_xtensa: 1,079 instructions, 32 bytes of stack, 101 bytes of flash
 * (tests/xtensa/run.sh --figures).
 */
#include "../../x25519/x25519_base.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA && SELO_X25519_TEETH == 5

#include "kernel.inc"

#define FRAME 32

.macro keep word, at
    l32i a0, a4, \at
    moveqz \word, a0, a6
.endm

kernel selo_x25519_lookup_xtensa
    enter FRAME
    movi a4, selo_x25519_table
    addi a5, a2, 96
1:  /* A chunk of the entry. */
    mov a6, a3              /* 0 at the entry */
    movi a7, 16
2:
    keep a8, 0
    keep a9, 4
    keep a10, 8
    keep a11, 12
    keep a12, 16
    keep a13, 20
    addi a4, a4, 24
    addi a6, a6, -1
    addi a7, a7, -1
    bnez a7, 2b
    s32i a8, a2, 0
    s32i a9, a2, 4
    s32i a10, a2, 8
    s32i a11, a2, 12
    s32i a12, a2, 16
    s32i a13, a2, 20
    addi a2, a2, 24
    bne a2, a5, 1b
    leave FRAME
kernel_end selo_x25519_lookup_xtensa

#endif
