/*
 * The permutation Keccak-f[1600] on ARM cores with 16-bit Thumb instructions only.
 *
 *   void selo_keccak_f1600(uint64_t lanes[25]);
 *
 * lanes = Keccak-f[1600](lanes) [FIPS202, 3.3, 3.4]; lane (x, y) is lanes[x + 5 * y].
 *
 * Bit-interleaved [KECCAKIMPL]: the bits of a lane with even numbers are one word, those with odd
 * numbers another, and a rotation of a lane rotates and perhaps exchanges the words. So half a row
 * of chi needs five words, which is what the low registers hold; with halves of lanes it would need
 * ten. Six words of theta's D are in high registers. A round reads one state and writes another,
 * both on the stack, where an offset reaches every word, so that pi is only an order of addresses.
 *
 * Cost of selo_keccak_f1600: 21,390 cycles on Cortex-M0 as modelled, 16,575 instructions, 460
 * bytes of stack, 2,844 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_KECCAK && SELO_BACKEND_THUMB1

#include "../arm/kernel.inc"

/* The stack: two states, each the 25 even words and the 25 odd words; words 0, 2, 3 and 4 of D's
 * even part; the address of the next round constant; what is pushed, lanes first. */
#define ODD 100
#define OTHER 200
#define D 400
#define CONSTANT 416
#define FRAME 420

/* r0 to r4 = the sums of the columns of the 25 words at r7. */
.macro columns
    ldm r7!, {r0-r4}
    .irp ignored, 1, 2
        add_pair r0, r1
        add_pair r2, r3
        add_pair r4, r0
        add_pair r1, r2
        add_pair r3, r4
    .endr
.endm

.macro add_pair first, second
    ldm r7!, {r5, r6}
    eors \first, \first, r5
    eors \second, \second, r6
.endm

/* r5 = an even word of D: the even word before it, and the odd word after it rotated by 1. */
.macro even_effect before, after
    movs r5, \after
    rors r5, r5, r6
    mov r7, \before
    eors r5, r5, r7
.endm

/* An odd word of D: the odd word before it, and the even word after it, in the place of which it
 * comes. */
.macro odd_effect before, after
    mov r5, \after
    eors r5, r5, \before
    mov \after, r5
.endm

/* D: the even words on the stack, but word 1 in lr; the odd words 4, 0, 1, 2, 3 in r8 to r12. */
.macro theta from
    add r7, sp, #\from
    columns
    mov r8, r0
    mov r9, r1
    mov r10, r2
    mov r11, r3
    mov r12, r4
    columns
    movs r6, #31
    even_effect r8, r2
    mov lr, r5
    odd_effect r3, r8
    even_effect r9, r3
    str r5, [sp, #D + 4]
    odd_effect r4, r9
    even_effect r10, r4
    str r5, [sp, #D + 8]
    odd_effect r0, r10
    even_effect r11, r0
    str r5, [sp, #D + 12]
    odd_effect r1, r11
    even_effect r12, r1
    str r5, [sp, #D]
    odd_effect r2, r12
.endm

/* r5 = word x of a half of D. */
.macro get_effect x, half
    .if \half
        .if \x == 4
        mov r5, r8
        .elseif \x == 0
        mov r5, r9
        .elseif \x == 1
        mov r5, r10
        .elseif \x == 2
        mov r5, r11
        .else
        mov r5, r12
        .endif
    .elseif \x == 1
    mov r5, lr
    .elseif \x == 0
    ldr r5, [sp, #D]
    .else
    ldr r5, [sp, #D + 4 * (\x - 1)]
    .endif
.endm

/* A half of lane (x, y) + D, rotated to the left by \by. */
.macro take word, from, x, y, by, half
    .set SOURCE, \half ^ (\by & 1)
    .set TURN, (\by + (\by & 1 & ~\half)) / 2
    ldr \word, [sp, #\from + ODD * SOURCE + 4 * (\x + 5 * \y)]
    get_effect \x, SOURCE
    eors \word, \word, r5
    .if TURN
    movs r5, #(32 - TURN)
    rors \word, \word, r5
    .endif
.endm

.macro chi b0, b1, b2
    movs r7, \b2
    bics r7, r7, \b1
    eors \b0, \b0, r7
.endm

/* Half a row of the result. Its word X comes from lane (x, X) with x = X + 3 y. */
.macro half_row from, to, y, half, x0, n0, x1, n1, x2, n2, x3, n3, x4, n4
    take r0, \from, \x0, 0, \n0, \half
    take r1, \from, \x1, 1, \n1, \half
    take r2, \from, \x2, 2, \n2, \half
    take r3, \from, \x3, 3, \n3, \half
    take r4, \from, \x4, 4, \n4, \half
    movs r5, r0
    movs r6, r1
    chi r0, r1, r2
    chi r1, r2, r3
    chi r2, r3, r4
    chi r3, r4, r5
    chi r4, r5, r6
    .if \y == 0             /* iota */
    ldr r7, [sp, #CONSTANT]
    ldm r7!, {r6}
    eors r0, r0, r6
    str r7, [sp, #CONSTANT]
    .endif
    add r7, sp, #(\to + ODD * \half + 20 * \y)
    stm r7!, {r0-r4}
.endm

.macro row from, to, y, places:vararg
    half_row \from, \to, \y, 0, \places
    half_row \from, \to, \y, 1, \places
.endm

.macro round from, to
    theta \from
    row \from, \to, 0, 0, 0, 1, 44, 2, 43, 3, 21, 4, 14
    row \from, \to, 1, 3, 28, 4, 20, 0, 3, 1, 45, 2, 61
    row \from, \to, 2, 1, 1, 2, 6, 3, 25, 4, 8, 0, 18
    row \from, \to, 3, 4, 27, 0, 36, 1, 10, 2, 15, 3, 56
    row \from, \to, 4, 2, 62, 3, 55, 4, 39, 0, 41, 1, 2
.endm

/* Exchanges the bits of `word` that the mask and its shift by \by name. Uses r4. */
.macro exchange word, mask, by
    lsrs r4, \word, #\by
    eors r4, r4, \word
    ands r4, r4, \mask
    eors \word, \word, r4
    lsls r4, r4, #\by
    eors \word, \word, r4
.endm

/* The bits with even numbers into the low half of the word, those with odd numbers into the high
 * half, and back. \spare is free. */
.macro separate word, spare
    exchange \word, r5, 1
    exchange \word, r6, 2
    exchange \word, r7, 4
    mov \spare, r8
    exchange \word, \spare, 8
.endm

.macro mingle word, spare
    mov \spare, r8
    exchange \word, \spare, 8
    exchange \word, r7, 4
    exchange \word, r6, 2
    exchange \word, r5, 1
.endm

/* (r2, r3) = their low halves, and their high halves; and back. */
.macro exchange_halves
    lsrs r4, r2, #16
    eors r4, r4, r3
    uxth r4, r4
    eors r3, r3, r4
    lsls r4, r4, #16
    eors r2, r2, r4
.endm

/* For both loops: the lane at r0, its even word at r1, the masks, the end of the lanes in r10. */
.macro begin_lanes
    ldr r5, =0x0000ff00
    mov r8, r5
    ldr r5, =0x22222222
    ldr r6, =0x0c0c0c0c
    ldr r7, =0x00f000f0
    movs r2, #200
    adds r2, r2, r0
    mov r10, r2
    mov r1, sp
.endm

kernel selo_keccak_f1600
    push {r0, r4-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r4-r7}
    sub sp, #FRAME
    ldr r1, =constants
    str r1, [sp, #CONSTANT]
    begin_lanes
1:
    ldm r0!, {r2}
    separate r2, r3
    ldm r0!, {r3}
    mov r9, r2
    separate r3, r2
    mov r2, r9
    exchange_halves
    stm r1!, {r2}
    str r3, [r1, #(ODD - 4)]
    cmp r0, r10
    bne 1b
    b 2f
    .ltorg
2:
    round 0, OTHER
    round OTHER, 0
    ldr r0, [sp, #CONSTANT]
    ldr r1, =constants_end
    cmp r0, r1
    beq 3f
    bl 2b                   /* too far for a branch; lr is free */
3:
    ldr r0, [sp, #(FRAME + 16)]
    begin_lanes
4:
    ldm r1!, {r2}
    ldr r3, [r1, #(ODD - 4)]
    exchange_halves
    mov r9, r3
    mingle r2, r3
    mov r3, r9
    mov r9, r2
    mingle r3, r2
    mov r2, r9
    stm r0!, {r2, r3}
    cmp r0, r10
    bne 4b
    /* The state of the last round but one would give away the input. */
    movs r0, #0
    movs r1, #0
    movs r2, #0
    movs r3, #0
    mov r7, sp
    .rept 26
        stm r7!, {r0-r3}
    .endr
    add sp, #FRAME
    pop {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    pop {r0, r4-r7, pc}
    .ltorg
    .balign 4
/* The round constants, the even word first [FIPS202, 3.2.5]. */
constants:
    .word 0x00000001, 0x00000000, 0x00000000, 0x00000089
    .word 0x00000000, 0x8000008b, 0x00000000, 0x80008080
    .word 0x00000001, 0x0000008b, 0x00000001, 0x00008000
    .word 0x00000001, 0x80008088, 0x00000001, 0x80000082
    .word 0x00000000, 0x0000000b, 0x00000000, 0x0000000a
    .word 0x00000001, 0x00008082, 0x00000000, 0x00008003
    .word 0x00000001, 0x0000808b, 0x00000001, 0x8000000b
    .word 0x00000001, 0x8000008a, 0x00000001, 0x80000081
    .word 0x00000000, 0x80000081, 0x00000000, 0x80000008
    .word 0x00000000, 0x00000083, 0x00000000, 0x80008003
    .word 0x00000001, 0x80008088, 0x00000000, 0x80000088
    .word 0x00000001, 0x00008000, 0x00000000, 0x80008082
constants_end:
kernel_end selo_keccak_f1600

#endif
