/*
 * The equal steps of X25519's ladder on Xtensa with the call0 ABI.
 *
 *   void selo_x25519_steps_xtensa(uint8_t points[224], const uint8_t scalar[32]);
 *
 * The 251 steps of x25519_ladder.c for bits 253 to 3 of the scalar, whose letters these are. points
 * has u, then p2, p3 and d, each x and z, of which d is for work; aligned to 4 bytes.
 *
 * The numbers become limbs (x25519_field.inc) once and stay so. A sum of two products needs no carry
 * before it is multiplied. A conditional move chooses what is doubled.
 *
 * Cost of selo_x25519_shared_secret with these steps: 2,689,316 instructions. 624 bytes of
 * stack, 1,000 bytes of flash (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA

#include "x25519_field.inc"

/* The frame: the limbs of u, p2, p3 and d, after what is saved; the arguments; the bit; the bit
 * before it; what counts the numbers that are converted. */
#define U 20
#define P2_X (U + LIMBS)
#define P2_Z (P2_X + LIMBS)
#define P3_X (P2_Z + LIMBS)
#define P3_Z (P3_X + LIMBS)
#define D_X (P3_Z + LIMBS)
#define D_Z (D_X + LIMBS)
#define POINTS (D_Z + LIMBS)
#define SCALAR (POINTS + 4)
#define BIT (SCALAR + 4)
#define LAST (BIT + 4)
#define FROM (LAST + 4)
#define TO (FROM + 4)
#define FRAME 336

.macro multiply to, a, b
    addi a2, a1, \to
    addi a3, a1, \a
    addi a4, a1, \b
    call0 selo_field25519_multiply_limbs_xtensa
.endm

.macro square at
    addi a2, a1, \at
    mov a3, a2
    call0 selo_field25519_square_limbs_xtensa
.endm

/* (A, B) and (C, D), and in d that of the two which is doubled, by a4. */
.macro butterflies_and_choice
    mov a2, a1
    addi a3, a1, LIMBS
1:
    .set AT, 0
    .rept 5
        l16si a5, a2, P2_X + AT
        l16si a6, a2, P2_Z + AT
        l16si a7, a2, P3_X + AT
        l16si a8, a2, P3_Z + AT
        add a9, a5, a6
        sub a10, a5, a6
        add a11, a7, a8
        sub a12, a7, a8
        s16i a9, a2, P2_X + AT
        s16i a10, a2, P2_Z + AT
        s16i a11, a2, P3_X + AT
        s16i a12, a2, P3_Z + AT
        movnez a9, a11, a4
        movnez a10, a12, a4
        s16i a9, a2, D_X + AT
        s16i a10, a2, D_Z + AT
        .set AT, AT + 2
    .endr
    addi a2, a2, 10
    bne a2, a3, 1b
.endm

/* The sum and the difference of x and z, or the difference alone. */
.macro butterfly x, z
    mov a2, a1
    addi a3, a1, LIMBS
1:
    .set AT, 0
    .rept 5
        l16si a5, a2, \x + AT
        l16si a6, a2, \z + AT
        add a7, a5, a6
        sub a5, a5, a6
        s16i a7, a2, \x + AT
        s16i a5, a2, \z + AT
        .set AT, AT + 2
    .endr
    addi a2, a2, 10
    bne a2, a3, 1b
.endm

.macro subtract x, z
    mov a2, a1
    addi a3, a1, LIMBS
1:
    .set AT, 0
    .rept 5
        l16si a5, a2, \x + AT
        l16si a6, a2, \z + AT
        sub a5, a5, a6
        s16i a5, a2, \x + AT
        .set AT, AT + 2
    .endr
    addi a2, a2, 10
    bne a2, a3, 1b
.endm

kernel selo_x25519_steps_xtensa
    enter FRAME
    s32i a2, a1, POINTS
    s32i a3, a1, SCALAR
    /* u, p2 and p3, settled. None is above 2^256, so there is no last carry. */
    movi a4, U
    add a4, a4, a1
    mov a3, a2
1:
    s32i a3, a1, FROM
    s32i a4, a1, TO
    mov a2, a4
    call0 selo_field25519_limbs_xtensa
    l32i a2, a1, TO
    movi a9, 20
    settle_begin
2:
    l16si a7, a2, 0
    settle a7, a2, 0
    addi a2, a2, 2
    addi a9, a9, -1
    bnez a9, 2b
    mov a4, a2
    l32i a3, a1, FROM
    addi a3, a3, 32
    addi a5, a1, D_X
    bne a4, a5, 1b

    movi a2, 0
    s32i a2, a1, LAST
    movi a2, 253
3:
    s32i a2, a1, BIT
    srli a3, a2, 3
    l32i a4, a1, SCALAR
    add a4, a4, a3
    l8ui a4, a4, 0
    extui a3, a2, 0, 3
    ssr a3
    srl a4, a4
    extui a4, a4, 0, 1
    l32i a5, a1, LAST
    s32i a4, a1, LAST
    xor a4, a4, a5
    butterflies_and_choice
    multiply P3_Z, P3_Z, P2_X       /* DA */
    multiply P3_X, P3_X, P2_Z       /* CB */
    butterfly P3_X, P3_Z
    square P3_X
    square P3_Z
    multiply P3_Z, P3_Z, U
    square D_X                      /* AA */
    square D_Z                      /* BB */
    multiply P2_X, D_X, D_Z
    subtract D_X, D_Z               /* E */
    add_121666 D_Z, D_Z, D_X
    addi a2, a1, D_Z
    settle_end a2
    multiply P2_Z, D_X, D_Z
    l32i a2, a1, BIT
    addi a2, a2, -1
    bgeui a2, 3, 4f
    j 5f
4:  j 3b
5:
    /* p2 and p3 back to bytes. */
    l32i a2, a1, POINTS
    addi a2, a2, 32
    addi a3, a1, P2_X
6:
    s32i a2, a1, TO
    s32i a3, a1, FROM
    call0 selo_field25519_bytes_xtensa
    l32i a2, a1, TO
    l32i a3, a1, FROM
    addi a2, a2, 32
    addi a3, a3, LIMBS
    addi a5, a1, D_X
    bne a3, a5, 6b
    leave FRAME
kernel_end selo_x25519_steps_xtensa

#endif
