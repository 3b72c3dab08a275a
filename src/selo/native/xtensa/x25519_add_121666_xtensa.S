/*
 * The multiplication by the constant of Curve25519 on Xtensa with the call0 ABI.
 *
 *   void selo_field25519_add_121666_xtensa(uint8_t a[32], const uint8_t b[32]);
 *
 * a = a + 121666 b mod p, below 2^255 + 2^249. a and b must be apart. Both are aligned to 4 bytes.
 *
 * Cost of selo_field25519_add_121666_xtensa: 549 instructions, 112 bytes of stack, 303 bytes of
 * flash (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA

#include "x25519_field.inc"

#define X 20
#define Y (X + LIMBS)
#define FIRST (Y + LIMBS)
#define SECOND (FIRST + 4)
#define FRAME 112

kernel selo_field25519_add_121666_xtensa
    enter FRAME
    s32i a2, a1, FIRST
    s32i a3, a1, SECOND
    addi a2, a1, Y
    call0 selo_field25519_limbs_xtensa
    addi a2, a1, X
    l32i a3, a1, FIRST
    call0 selo_field25519_limbs_xtensa
    add_121666 X, X, Y
    addi a2, a1, X
    settle_end a2
    l32i a2, a1, FIRST
    addi a3, a1, X
    call0 selo_field25519_bytes_xtensa
    leave FRAME
kernel_end selo_field25519_add_121666_xtensa

#endif
