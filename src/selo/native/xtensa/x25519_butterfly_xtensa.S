/*
 * Sums and differences modulo 2^255 - 19 on Xtensa with the call0 ABI.
 *
 *   void selo_field25519_butterfly_xtensa(uint8_t a[32], uint8_t b[32]);
 *
 * (a, b) = (a + b, a - b) mod p, both below 2^255 + 2^249. a and b must be apart.
 *
 *   void selo_field25519_subtract_xtensa(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
 *
 * r = a - b mod p, below 2^255 + 2^249. r may be a or b.
 *
 * All are aligned to 4 bytes. In limbs (x25519_field.inc) nothing is carried.
 *
 * Cost of selo_field25519_butterfly_xtensa: 564 instructions, 112 bytes of stack; of
 * selo_field25519_subtract_xtensa: 379 instructions, 112 bytes of stack. Flash of both: 297 bytes
 * (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA

#include "x25519_field.inc"

#define X 20
#define Y (X + LIMBS)
#define FIRST (Y + LIMBS)
#define SECOND (FIRST + 4)
#define FRAME 112

/* X and Y = the limbs of the numbers at a3 and a4. */
.macro load_both
    s32i a4, a1, SECOND
    addi a2, a1, X
    call0 selo_field25519_limbs_xtensa
    l32i a3, a1, SECOND
    addi a2, a1, Y
    call0 selo_field25519_limbs_xtensa
.endm

kernel selo_field25519_butterfly_xtensa
    enter FRAME
    s32i a2, a1, FIRST
    mov a4, a3
    mov a3, a2
    load_both
    addi a2, a1, X
    addi a3, a1, X + LIMBS
1:
    .set AT, 0
    .rept 5
        l16si a4, a2, AT
        l16si a5, a2, AT + LIMBS
        add a6, a4, a5
        sub a4, a4, a5
        s16i a6, a2, AT
        s16i a4, a2, AT + LIMBS
        .set AT, AT + 2
    .endr
    addi a2, a2, 10
    bne a2, a3, 1b
    l32i a2, a1, FIRST
    addi a3, a1, X
    call0 selo_field25519_bytes_xtensa
    l32i a2, a1, SECOND
    addi a3, a1, Y
    call0 selo_field25519_bytes_xtensa
    leave FRAME
kernel_end selo_field25519_butterfly_xtensa

kernel selo_field25519_subtract_xtensa
    enter FRAME
    s32i a2, a1, FIRST
    load_both
    addi a2, a1, X
    addi a3, a1, X + LIMBS
1:
    .set AT, 0
    .rept 5
        l16si a4, a2, AT
        l16si a5, a2, AT + LIMBS
        sub a4, a4, a5
        s16i a4, a2, AT
        .set AT, AT + 2
    .endr
    addi a2, a2, 10
    bne a2, a3, 1b
    l32i a2, a1, FIRST
    addi a3, a1, X
    call0 selo_field25519_bytes_xtensa
    leave FRAME
kernel_end selo_field25519_subtract_xtensa

#endif
