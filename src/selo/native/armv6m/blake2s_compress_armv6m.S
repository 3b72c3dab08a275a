/*
 * The compression function of BLAKE2s on ARM cores with 16-bit Thumb instructions only.
 *
 *   void selo_blake2s_compress(uint32_t state[8], const uint8_t block[64], uint32_t size,
 *                              uint32_t last);
 *
 * state = F(state, block, size, last) [RFC7693, 3.2].
 *
 * Words that are rotated, 4 to 7 and 12 to 15, are in low registers. The others are only added to
 * and copied, which high registers can do. Words 10 and 11, either word 14 or word 15, and a copy of
 * the message are on the stack. A round is a loop, to save flash: 3,300 bytes less than ten unrolled
 * rounds, for a third more time. The permutations of the message are in a table, as offsets from the
 * stack pointer.
 *
 * Cost of selo_blake2s_compress: 3,546 cycles on Cortex-M0 as modelled, 2,698 instructions, 124
 * bytes of stack, 968 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_BLAKE2S && SELO_BACKEND_THUMB1

#include "arx.inc"

/* The stack: the message, words 10, 11, 14 and 15, the next permutation, state, what is pushed. */
#define V10 64
#define V11 68
#define V14 72
#define V15 76
#define SIGMA 80
#define STATE 84

/* to += the word of the message that is at place \place of the permutation. Uses r0. */
.macro add_message to, place
    ldr r0, [sp, #SIGMA]
    ldrb r0, [r0, #\place]
    add r0, sp
    ldr r0, [r0]
    add \to, \to, r0
.endm

/* G [RFC7693, 3.1] with places \x and \y of the permutation; at: the place of c on the stack if it is
 * not in a register. */
.macro mix x, y, a, b, c, d, at
    add_message \a, \x
    add_and_turn \a, \b, \d, 16
    .ifb \at
    add_and_turn \c, \d, \b, 12
    .else
    add_and_turn_stacked \at, \d, \b, 12
    .endif
    add_message \a, \y
    add_and_turn \a, \b, \d, 8
    .ifb \at
    add_and_turn \c, \d, \b, 7
    .else
    add_and_turn_stacked \at, \d, \b, 7
    .endif
.endm

.macro round
    mix 0, 1, r8, r1, r12, r5
    mix 2, 3, r9, r2, lr, r6
    mix 4, 5, r10, r3, , r7, V10
    str r7, [sp, #V14]
    ldr r7, [sp, #V15]
    mix 6, 7, r11, r4, , r7, V11
    mix 8, 9, r8, r2, , r7, V10
    str r7, [sp, #V15]
    ldr r7, [sp, #V14]
    mix 10, 11, r9, r3, , r5, V11
    mix 12, 13, r10, r4, r12, r6
    mix 14, 15, r11, r1, lr, r7
.endm

/* A word of the state at r7 += two of the working vector, the second of which r0 may hold. */
.macro settle v0, v1
    mov r6, \v1
    mov r0, \v0
    eors r6, r6, r0
    ldr r0, [r7]
    eors r6, r6, r0
    stm r7!, {r6}
.endm

.macro settle_stacked v0, at
    ldr r6, [sp, #\at]
    settle \v0, r6
.endm

kernel selo_blake2s_compress
    push {r0, r4-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r4-r7}
    sub sp, #STATE
    mov r12, r0
    mov r4, sp
    lsls r5, r1, #30
    bne 1f
    .rept 4                 /* the message, aligned */
        ldm r1!, {r0, r5-r7}
        stm r4!, {r0, r5-r7}
    .endr
    b 3f
1:  /* The message, not aligned, from the end. */
    movs r5, #60
2:
    adds r6, r1, r5
    ldrb r7, [r6, #3]
    ldrb r0, [r6, #2]
    lsls r7, r7, #8
    orrs r7, r7, r0
    ldrb r0, [r6, #1]
    lsls r7, r7, #8
    orrs r7, r7, r0
    ldrb r0, [r6]
    lsls r7, r7, #8
    orrs r7, r7, r0
    str r7, [r4, r5]
    subs r5, r5, #4
    bpl 2b
3:
    mov r4, r12
    ldr r7, =iv
    movs r0, #(sigma - iv)
    adds r0, r0, r7
    str r0, [sp, #SIGMA]
    ldr r0, [r7]            /* words 8 to 11 */
    mov r12, r0
    ldr r0, [r7, #4]
    mov lr, r0
    ldr r0, [r7, #8]
    str r0, [sp, #V10]
    ldr r0, [r7, #12]
    str r0, [sp, #V11]
    adds r7, r7, #16
    ldm r7, {r0, r5-r7}
    eors r0, r0, r2         /* words 12 to 15 */
    eors r6, r6, r3
    str r7, [sp, #V15]
    movs r7, r6
    movs r6, r5
    movs r5, r0
    ldm r4!, {r0-r3}        /* words 0 to 7 */
    mov r8, r0
    mov r9, r1
    mov r10, r2
    mov r11, r3
    ldm r4!, {r1-r3}
    ldr r4, [r4]
5:
    round
    ldr r0, [sp, #SIGMA]
    adds r0, r0, #16
    str r0, [sp, #SIGMA]
    ldrb r0, [r0]
    cmp r0, #255
    beq 6f
    b 5b
    .ltorg
6:
    eors r1, r1, r5
    eors r2, r2, r6
    eors r3, r3, r7
    ldr r0, [sp, #V15]
    eors r4, r4, r0
    ldr r7, [sp, #STATE + 16]
    settle r8, r12
    settle r9, lr
    settle_stacked r10, V10
    settle_stacked r11, V11
    .irp word, r1, r2, r3, r4
        ldr r0, [r7]
        eors \word, \word, r0
        stm r7!, {\word}
    .endr
    /* The message of a keyed hash begins with the key. */
    movs r0, #0
    movs r1, #0
    movs r2, #0
    movs r3, #0
    mov r7, sp
    .rept 5
        stm r7!, {r0-r3}
    .endr
    add sp, #STATE
    pop {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    pop {r0, r4-r7, pc}
    .balign 4
iv: /* [RFC7693, 2.6] */
    .word 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a
    .word 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
sigma: /* [RFC7693, 2.7], 4 times each; 255 ends it */
    .byte 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60
    .byte 56, 40, 16, 32, 36, 60, 52, 24, 4, 48, 0, 8, 44, 28, 20, 12
    .byte 44, 32, 48, 0, 20, 8, 60, 52, 40, 56, 12, 24, 28, 4, 36, 16
    .byte 28, 36, 12, 4, 52, 48, 44, 56, 8, 24, 20, 40, 16, 0, 60, 32
    .byte 36, 0, 20, 28, 8, 16, 40, 60, 56, 4, 44, 48, 24, 32, 12, 52
    .byte 8, 48, 24, 40, 0, 44, 32, 12, 16, 52, 28, 20, 60, 56, 4, 36
    .byte 48, 20, 4, 60, 56, 52, 16, 40, 0, 28, 24, 12, 36, 8, 32, 44
    .byte 52, 44, 28, 56, 48, 4, 12, 36, 20, 0, 60, 16, 32, 24, 8, 40
    .byte 24, 60, 56, 36, 44, 12, 0, 32, 48, 8, 52, 28, 4, 16, 40, 20
    .byte 40, 8, 32, 16, 28, 24, 4, 20, 60, 44, 36, 56, 12, 48, 52, 0
    .byte 255
    .balign 4
kernel_end selo_blake2s_compress

#endif
