/*
 * Multiplication modulo 2^255 - 19 on Xtensa with the call0 ABI.
 *
 *   void selo_field25519_multiply_xtensa(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a b mod p, below 2^255 + 2^249. r may be a or b. All three are aligned to 4 bytes.
 *
 * The product is in x25519_product_xtensa.S; both inputs become limbs before it.
 *
 * Cost of selo_field25519_multiply_xtensa: 1,521 instructions, 400 bytes of stack, 69 bytes of
 * flash (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA

#include "x25519_field.inc"

#define X 20
#define Y (X + LIMBS)
#define RESULT (Y + LIMBS)
#define SECOND (RESULT + 4)
#define FRAME 112

kernel selo_field25519_multiply_xtensa
    enter FRAME
    s32i a2, a1, RESULT
    s32i a4, a1, SECOND
    addi a2, a1, X
    call0 selo_field25519_limbs_xtensa
    l32i a3, a1, SECOND
    addi a2, a1, Y
    call0 selo_field25519_limbs_xtensa
    addi a2, a1, X
    mov a3, a2
    addi a4, a1, Y
    call0 selo_field25519_multiply_limbs_xtensa
    l32i a2, a1, RESULT
    addi a3, a1, X
    call0 selo_field25519_bytes_xtensa
    leave FRAME
kernel_end selo_field25519_multiply_xtensa

#endif
