/*
 * The choice between two points of X25519 on Xtensa with the call0 ABI.
 *
 *   void selo_field25519_select_xtensa(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
 *                                      uint8_t choice);
 *
 * r = a if choice is 0, b if it is 1. r may be a or b. All three are aligned to 4 bytes. The
 * same instructions and addresses for both.
 *
 * Cost of selo_field25519_select_xtensa: 65 instructions, no stack, 146 bytes of flash
 * (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA

#include "kernel.inc"

kernel selo_field25519_select_xtensa
    .set AT, 0
    .rept 16
        l32i a6, a3, AT
        l32i a7, a4, AT
        movnez a6, a7, a5
        s32i a6, a2, AT
        .set AT, AT + 4
    .endr
    ret
kernel_end selo_field25519_select_xtensa

#endif
