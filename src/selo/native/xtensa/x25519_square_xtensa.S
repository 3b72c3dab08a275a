/*
 * Squaring modulo 2^255 - 19 on Xtensa with the call0 ABI.
 *
 *   void selo_field25519_square_xtensa(uint8_t r[32], const uint8_t a[32]);
 *   void selo_field25519_square_times_xtensa(uint8_t r[32], const uint8_t a[32], uint8_t times);
 *
 * r = a^2 mod p, or a^(2^times) for times of at least 1; below 2^255 + 2^249. r may be a. Both are
 * aligned to 4 bytes.
 *
 * The square is in x25519_product_xtensa.S. In a chain of squares the number stays in limbs.
 *
 * Cost of selo_field25519_square_xtensa: 1,062 instructions, 368 bytes of stack. Flash of both: 71
 * bytes (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA

#include "x25519_field.inc"

#define X 20
#define RESULT (X + LIMBS)
#define TIMES (RESULT + 4)
#define FRAME 80

kernel selo_field25519_square_xtensa
    movi.n a4, 1
    nop.n                   /* the next name is aligned, as calls need it */
    .global selo_field25519_square_times_xtensa
    .type selo_field25519_square_times_xtensa, @function
selo_field25519_square_times_xtensa:
    enter FRAME
    s32i a2, a1, RESULT
    s32i a4, a1, TIMES
    addi a2, a1, X
    call0 selo_field25519_limbs_xtensa
1:
    addi a2, a1, X
    mov a3, a2
    call0 selo_field25519_square_limbs_xtensa
    l32i a4, a1, TIMES
    addi a4, a4, -1
    s32i a4, a1, TIMES
    bnez a4, 1b
    l32i a2, a1, RESULT
    addi a3, a1, X
    call0 selo_field25519_bytes_xtensa
    leave FRAME
kernel_end selo_field25519_square_xtensa

#endif
