/*
 * The ChaCha20 block function on ARM cores with 16-bit Thumb instructions only.
 *
 *   void selo_chacha20_block(uint32_t stream[16], const uint32_t state[16]);
 *
 * The 64 bytes of key stream for a state [RFC8439, 2.3]. stream may be state.
 *
 * Words that are rotated, 4 to 7 and 12 to 15, are in low registers. The others are only added to
 * and copied, which high registers can do. Words 10 and 11 and either word 14 or word 15 are on the
 * stack.
 *
 * Cost of selo_chacha20_block: 2,182 cycles on Cortex-M0 as modelled, 1,859 instructions, 64 bytes
 * of stack, 536 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_CHACHA20 && SELO_BACKEND_THUMB1

#include "arx.inc"

/* The stack: words 10, 11, 14 and 15, the double rounds left, stream, state, what is pushed. */
#define LEFT 16

/* The quarter round [RFC8439, 2.1]; at: the place of c on the stack if it is not in a register. */
.macro quarter a, b, c, d, at
    add_and_turn \a, \b, \d, 16
    .ifb \at
    add_and_turn \c, \d, \b, 20
    .else
    add_and_turn_stacked \at, \d, \b, 20
    .endif
    add_and_turn \a, \b, \d, 24
    .ifb \at
    add_and_turn \c, \d, \b, 25
    .else
    add_and_turn_stacked \at, \d, \b, 25
    .endif
.endm

.macro put word
    ldm r7!, {r0}
    add r0, r0, \word
    stm r6!, {r0}
.endm

.macro put_stacked at
    ldr r1, [sp, #\at]
    put r1
.endm

kernel selo_chacha20_block
    push {r0, r1, r4-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r4-r7}
    sub sp, #20
    movs r7, r1
    ldm r7!, {r0-r3}
    mov r8, r0
    mov r9, r1
    mov r10, r2
    mov r11, r3
    ldm r7!, {r1-r4}
    ldm r7!, {r5, r6}
    mov r12, r5
    mov lr, r6
    ldm r7!, {r5, r6}
    str r5, [sp]
    str r6, [sp, #4]
    ldr r0, [r7, #12]
    str r0, [sp, #12]
    ldm r7, {r5-r7}
    movs r0, #10
1:
    str r0, [sp, #LEFT]
    quarter r8, r1, r12, r5
    quarter r9, r2, lr, r6
    quarter r10, r3, , r7, 0
    str r7, [sp, #8]
    ldr r7, [sp, #12]
    quarter r11, r4, , r7, 4
    quarter r8, r2, , r7, 0
    str r7, [sp, #12]
    ldr r7, [sp, #8]
    quarter r9, r3, , r5, 4
    quarter r10, r4, r12, r6
    quarter r11, r1, lr, r7
    ldr r0, [sp, #LEFT]
    subs r0, r0, #1
    beq 2f
    b 1b
2:
    str r7, [sp, #8]
    ldr r7, [sp, #40]       /* state */
    mov r0, r6
    ldr r6, [sp, #36]       /* stream */
    str r0, [sp, #LEFT]
    put r8
    put r9
    put r10
    put r11
    put r1
    put r2
    put r3
    put r4
    put r12
    put lr
    put_stacked 0
    put_stacked 4
    put r5
    put_stacked LEFT
    put_stacked 8
    put_stacked 12
    add sp, #20
    pop {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    add sp, #8
    pop {r4-r7, pc}
kernel_end selo_chacha20_block

#endif
