/*
 * The permutation Keccak-f[1600] on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_keccak_f1600(uint64_t lanes[25]);
 *
 * lanes = Keccak-f[1600](lanes) [FIPS202, 3.3, 3.4]; lane (x, y) is lanes[x + 5 * y].
 *
 * A lane is two words, and a rotation of it four instructions with shifts. Bit-interleaved
 * words would need one or none, but the sponge's bytes would have to be interleaved before each
 * permutation and back after it, which costs about as much. A round reads one state and writes
 * another, in the caller's memory and on the stack in turn, so that pi is only an order of
 * addresses. Single loads and stores follow each other because the core overlaps them.
 *
 * Cost of selo_keccak_f1600: 13,614 cycles on Cortex-M3 and 13,614 cycles on Cortex-M4 as
 * modelled, 12,467 instructions, 280 bytes of stack, 4,220 bytes of flash (tests/arm/run.sh
 * --figures).
 */
#include "../api.h"

#if SELO_NATIVE_KECCAK && SELO_BACKEND_THUMB2

#include "../arm/kernel.inc"

/* The stack: the other state, theta's D, the next round constant, what is pushed. */
#define D 200
#define CONSTANT 240
#define FRAME 244

/* Words \at to \at + 2 of the four rows below the first, into theta's C. */
.macro parity from, at, c0, c1, c2
    ldr r11, [\from, #4 * (\at)]
    ldr r12, [\from, #4 * (\at + 1)]
    ldr lr, [\from, #4 * (\at + 2)]
    eor \c0, \c0, r11
    eor \c1, \c1, r12
    eor \c2, \c2, lr
.endm

/* D of column x, from C of the columns x - 1 and x + 1. */
.macro effect x, before_low, before_high, after_low, after_high
    eor r11, \before_low, \after_low, lsl #1
    eor r12, \before_high, \after_high, lsl #1
    eor r11, r11, \after_high, lsr #31
    eor r12, r12, \after_low, lsr #31
    str r11, [sp, #D + 8 * \x]
    str r12, [sp, #D + 8 * \x + 4]
.endm

.macro theta from
    mov r11, \from
    ldm r11, {r1-r10}
    parity \from, 10, r1, r2, r3
    parity \from, 13, r4, r5, r6
    parity \from, 16, r7, r8, r9
    parity \from, 19, r10, r1, r2
    parity \from, 22, r3, r4, r5
    parity \from, 25, r6, r7, r8
    parity \from, 28, r9, r10, r1
    parity \from, 31, r2, r3, r4
    parity \from, 34, r5, r6, r7
    parity \from, 37, r8, r9, r10
    parity \from, 40, r1, r2, r3
    parity \from, 43, r4, r5, r6
    parity \from, 46, r7, r8, r9
    ldr r11, [\from, #196]
    eor r10, r10, r11
    effect 0, r9, r10, r3, r4
    effect 1, r1, r2, r5, r6
    effect 2, r3, r4, r7, r8
    effect 3, r5, r6, r9, r10
    effect 4, r7, r8, r1, r2
.endm

.macro load_lane from, x, y, low, high
    ldr \low, [\from, #8 * (\x + 5 * \y)]
    ldr \high, [\from, #8 * (\x + 5 * \y) + 4]
.endm

/* D of column x. */
.macro load_effect x, low, high
    ldr \low, [sp, #D + 8 * \x]
    ldr \high, [sp, #D + 8 * \x + 4]
.endm

/* The lane += d, rotated to the left by \by. Destroys d. */
.macro rotate by, low, high, d, dh
    .if \by == 0
    eor \low, \low, \d
    eor \high, \high, \dh
    .elseif \by < 32
    eor \d, \d, \low
    eor \dh, \dh, \high
    lsl \low, \d, #\by
    lsl \high, \dh, #\by
    orr \low, \low, \dh, lsr #(32 - \by)
    orr \high, \high, \d, lsr #(32 - \by)
    .else
    eor \d, \d, \low
    eor \dh, \dh, \high
    lsl \low, \dh, #(\by - 32)
    lsl \high, \d, #(\by - 32)
    orr \low, \low, \d, lsr #(64 - \by)
    orr \high, \high, \dh, lsr #(64 - \by)
    .endif
.endm

/* A lane of chi: b0 + (b2 and not b1). */
.macro chi to, at, b0, b0h, b1, b1h, b2, b2h
    bic r11, \b2, \b1
    bic r12, \b2h, \b1h
    eor r11, r11, \b0
    eor r12, r12, \b0h
    str r11, [\to, #\at]
    str r12, [\to, #\at + 4]
.endm

/* Row \y of the result, whose lane X comes from lane (x, X) with x = X + 3 y; n0 to n4 are the
 * rotations of these. */
.macro row from, to, y, x0, n0, x1, n1, x2, n2, x3, n3, x4, n4
    load_lane \from, \x0, 0, r1, r2
    load_lane \from, \x1, 1, r3, r4
    load_effect \x0, r5, r6
    load_effect \x1, r7, r8
    rotate \n0, r1, r2, r5, r6
    rotate \n1, r3, r4, r7, r8
    load_lane \from, \x2, 2, r5, r6
    load_lane \from, \x3, 3, r7, r8
    load_effect \x2, r9, r10
    load_effect \x3, r11, r12
    rotate \n2, r5, r6, r9, r10
    rotate \n3, r7, r8, r11, r12
    load_lane \from, \x4, 4, r9, r10
    load_effect \x4, r11, r12
    rotate \n4, r9, r10, r11, r12
    chi \to, 40 * \y, r1, r2, r3, r4, r5, r6
    chi \to, 40 * \y + 8, r3, r4, r5, r6, r7, r8
    chi \to, 40 * \y + 16, r5, r6, r7, r8, r9, r10
    chi \to, 40 * \y + 24, r7, r8, r9, r10, r1, r2
    chi \to, 40 * \y + 32, r9, r10, r1, r2, r3, r4
.endm

.macro round from, to
    theta \from
    row \from, \to, 0, 0, 0, 1, 44, 2, 43, 3, 21, 4, 14
    row \from, \to, 1, 3, 28, 4, 20, 0, 3, 1, 45, 2, 61
    row \from, \to, 2, 1, 1, 2, 6, 3, 25, 4, 8, 0, 18
    row \from, \to, 3, 4, 27, 0, 36, 1, 10, 2, 15, 3, 56
    row \from, \to, 4, 2, 62, 3, 55, 4, 39, 0, 41, 1, 2
    /* iota */
    ldr lr, [sp, #CONSTANT]
    ldm lr!, {r1, r2}
    str lr, [sp, #CONSTANT]
    ldr r3, [\to]
    ldr r4, [\to, #4]
    eor r3, r3, r1
    eor r4, r4, r2
    str r3, [\to]
    str r4, [\to, #4]
.endm

kernel selo_keccak_f1600
    push {r4-r11, lr}
    sub sp, #FRAME
    ldr lr, =constants
    str lr, [sp, #CONSTANT]
1:
    round r0, sp
    round sp, r0
    ldr r1, =constants_end
    cmp lr, r1
    bne.w 1b
    /* The state of the last round but one would give away the input. */
    mov r11, sp
    .irp word, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10
    mov \word, #0
    .endr
    .rept 6
    stm r11!, {r1-r10}
    .endr
    add sp, #FRAME
    pop {r4-r11, pc}
    .ltorg
    .balign 4
/* The round constants, the low word first [FIPS202, 3.2.5]. */
constants:
    .word 0x00000001, 0x00000000, 0x00008082, 0x00000000
    .word 0x0000808a, 0x80000000, 0x80008000, 0x80000000
    .word 0x0000808b, 0x00000000, 0x80000001, 0x00000000
    .word 0x80008081, 0x80000000, 0x00008009, 0x80000000
    .word 0x0000008a, 0x00000000, 0x00000088, 0x00000000
    .word 0x80008009, 0x00000000, 0x8000000a, 0x00000000
    .word 0x8000808b, 0x00000000, 0x0000008b, 0x80000000
    .word 0x00008089, 0x80000000, 0x00008003, 0x80000000
    .word 0x00008002, 0x80000000, 0x00000080, 0x80000000
    .word 0x0000800a, 0x00000000, 0x8000000a, 0x80000000
    .word 0x80008081, 0x80000000, 0x00008080, 0x80000000
    .word 0x80000001, 0x00000000, 0x80008008, 0x80000000
constants_end:
kernel_end selo_keccak_f1600

#endif
