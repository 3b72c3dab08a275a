/*
 * The ChaCha20 block function on Xtensa with the call0 ABI.
 *
 *   void selo_chacha20_block(uint32_t stream[16], const uint32_t state[16]);
 *
 * The 64 bytes of key stream for a state [RFC8439, 2.3]. stream may be state.
 *
 * The four quarter rounds of a round go together (arx.inc).
 *
 * Cost of selo_chacha20_block: 1,341 instructions, 48 bytes of stack, 509 bytes of flash
 * (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_CHACHA20 && SELO_BACKEND_XTENSA

#include "arx.inc"

/* The stack: what is saved, words 10 and 11, stream, state, the double rounds left. */
#define FRAME 48
#define STREAM 28
#define STATE 32
#define LEFT 36

/* stream[i] = word + state[i]. V12 and V13 are their addresses. */
.macro put i, word
    l32i T, V13, 4 * \i
    add T, T, \word
    s32i T, V12, 4 * \i
.endm

.macro put_stacked i, at
    l32i V0, a1, \at
    put \i, V0
.endm

kernel selo_chacha20_block
    enter FRAME
    s32i a2, a1, STREAM
    s32i a3, a1, STATE
    mov T, a3
    load_four T, 40, V0, V1, V12, V13
    s32i V0, a1, V10
    s32i V1, a1, V11
    load_four T, 0, V0, V1, V2, V3
    load_four T, 16, V4, V5, V6, V7
    l32i V8, T, 32
    l32i V9, T, 36
    l32i V14, T, 56
    l32i V15, T, 60
    movi T, 10
1:
    s32i T, a1, LEFT
    upper 16, V4, V5, V6, V7, V12, V13, V14, V15
    lower 20, V4, V5, V6, V7, V12, V13, V14, V15
    upper 24, V4, V5, V6, V7, V12, V13, V14, V15
    lower 25, V4, V5, V6, V7, V12, V13, V14, V15
    upper 16, V5, V6, V7, V4, V15, V12, V13, V14
    lower 20, V7, V4, V5, V6, V13, V14, V15, V12
    upper 24, V5, V6, V7, V4, V15, V12, V13, V14
    lower 25, V7, V4, V5, V6, V13, V14, V15, V12
    l32i T, a1, LEFT
    addi T, T, -1
    beqz T, 2f
    j 1b
2:
    /* Words 12 and 13 give their registers to the addresses. They wait where stream and the count
     * were. */
    mov T, V12
    l32i V12, a1, STREAM
    s32i T, a1, STREAM
    s32i V13, a1, LEFT
    l32i V13, a1, STATE
    put 0, V0
    put 1, V1
    put 2, V2
    put 3, V3
    put 4, V4
    put 5, V5
    put 6, V6
    put 7, V7
    put 8, V8
    put 9, V9
    put_stacked 10, V10
    put_stacked 11, V11
    put_stacked 12, STREAM
    put_stacked 13, LEFT
    put 14, V14
    put 15, V15
    leave FRAME
kernel_end selo_chacha20_block

#endif
