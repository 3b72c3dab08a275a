/*
 * The compression function of BLAKE2s on Xtensa with the call0 ABI.
 *
 *   void selo_blake2s_compress(uint32_t state[8], const uint8_t block[64], uint32_t size,
 *                              uint32_t last);
 *
 * state = F(state, block, size, last) [RFC7693, 3.2].
 *
 * The four G of a half round go together (arx.inc). A table has the places of the message words of
 * each round, which would fill 3 KB if all rounds were unrolled. The message, which has no alignment,
 * is copied to the stack first.
 *
 * Cost of selo_blake2s_compress: 2,251 instructions, 112 bytes of stack, 1,005 bytes of flash
 * (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_BLAKE2S && SELO_BACKEND_XTENSA

#include "arx.inc"

/* The stack: what is saved, words 10 and 11, state, the message, the place in the table. */
#define FRAME 112
#define STATE 28
#define MESSAGE 32
#define PLACE 96

/* to += word \number of the round's permutation. */
.macro add_message to, number
    l32i T, a1, PLACE
    l8ui T, T, \number
    add T, T, a1
    l32i T, T, 0
    add \to, \to, T
.endm

.macro add_four_messages w0, w1, w2, w3
    add_message V0, \w0
    add_message V1, \w1
    add_message V2, \w2
    add_message V3, \w3
.endm

.macro round
    add_four_messages 0, 2, 4, 6
    upper 16, V4, V5, V6, V7, V12, V13, V14, V15
    lower 12, V4, V5, V6, V7, V12, V13, V14, V15
    add_four_messages 1, 3, 5, 7
    upper 8, V4, V5, V6, V7, V12, V13, V14, V15
    lower 7, V4, V5, V6, V7, V12, V13, V14, V15
    add_four_messages 8, 10, 12, 14
    upper 16, V5, V6, V7, V4, V15, V12, V13, V14
    lower 12, V7, V4, V5, V6, V13, V14, V15, V12
    add_four_messages 9, 11, 13, 15
    upper 8, V5, V6, V7, V4, V15, V12, V13, V14
    lower 7, V7, V4, V5, V6, V13, V14, V15, V12
.endm

/* The message at a3 to the stack. Uses a6 to a12. */
.macro copy_message
    addi a6, a1, MESSAGE
    movi a7, 16
    extui a8, a3, 0, 2
    bnez a8, 1f
2:  l32i a8, a3, 0
    s32i a8, a6, 0
    addi a3, a3, 4
    addi a6, a6, 4
    addi a7, a7, -1
    bnez a7, 2b
    j 3f
1:  l8ui a8, a3, 0
    l8ui a9, a3, 1
    l8ui a10, a3, 2
    l8ui a11, a3, 3
    slli a9, a9, 8
    slli a10, a10, 16
    slli a11, a11, 24
    or a8, a8, a9
    or a10, a10, a11
    or a8, a8, a10
    s32i a8, a6, 0
    addi a3, a3, 4
    addi a6, a6, 4
    addi a7, a7, -1
    bnez a7, 1b
3:
.endm

/* A word of the state at V12 += two of the working vector. */
.macro settle at, v0, v1
    l32i T, V12, \at
    xor T, T, \v0
    xor T, T, \v1
    s32i T, V12, \at
.endm

kernel selo_blake2s_compress
    enter FRAME
    s32i a2, a1, STATE
    copy_message
    movi T, iv
    load_four T, 8, a6, a7, V12, V13
    s32i a6, a1, V10
    s32i a7, a1, V11
    xor V12, V12, a4        /* size */
    l32i V8, T, 0
    l32i V9, T, 4
    l32i V14, T, 24
    l32i V15, T, 28
    xor V14, V14, a5        /* last */
    movi T, places
    s32i T, a1, PLACE
    mov T, a2
    load_four T, 0, V0, V1, V2, V3
    load_four T, 16, V4, V5, V6, V7
4:
    round
    l32i T, a1, PLACE
    addi T, T, 16
    s32i T, a1, PLACE
    l8ui T, T, 0
    beqz T, 5f
    j 4b
5:
    xor V4, V4, V12
    l32i V12, a1, STATE
    settle 0, V0, V8
    settle 4, V1, V9
    l32i V0, a1, V10
    l32i V1, a1, V11
    settle 8, V2, V0
    settle 12, V3, V1
    movi V0, 0
    settle 16, V4, V0
    settle 20, V5, V13
    settle 24, V6, V14
    settle 28, V7, V15
    .set AT, MESSAGE        /* that of a keyed hash begins with the key */
    .rept 16
        s32i V0, a1, AT
        .set AT, AT + 4
    .endr
    leave FRAME
    .balign 4
iv: /* [RFC7693, 2.6] */
    .word 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a
    .word 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
kernel_end selo_blake2s_compress

/* Where the stack has the message words of a round [RFC7693, 2.7]. The 0 ends the table. */
.macro places_of first, others:vararg
    .byte MESSAGE + 4 * \first
    .ifnb \others
    places_of \others
    .endif
.endm

    .section .rodata.selo_blake2s_places, "a", @progbits
places:
    places_of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    places_of 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3
    places_of 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4
    places_of 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8
    places_of 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13
    places_of 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9
    places_of 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11
    places_of 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10
    places_of 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5
    places_of 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0
    .byte 0

#endif
