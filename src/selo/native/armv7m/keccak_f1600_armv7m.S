/*
 * The permutation Keccak-f[1600] on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_keccak_f1600(uint64_t lanes[25]);
 *
 * lanes = Keccak-f[1600](lanes) [FIPS202, 3.3, 3.4]; lane (x, y) is lanes[x + 5 * y].
 *
 * Bit-interleaved [KECCAKIMPL]: the low word of a lane has its bits with even numbers, the high word
 * those with odd numbers, before and after the permutation (sha3.h). A rotation of a lane then
 * rotates and perhaps exchanges its words.
 *
 * An instruction rotates its second operand for free, so a word may wait for its rotation: `turned`
 * counts the rotation to the left that it still needs. The first of two rounds leaves its words
 * turned, and the second undoes that. A word of chi has the turn of one of two operands, so three
 * rotations for five words do.
 *
 * A round reads one state and writes another, in the caller's memory and on the stack in turn, so
 * that pi is only an order of addresses. Row 4 also stays in registers, where the next theta begins
 * with it. Single loads follow each other because the core overlaps them.
 *
 * Cost of selo_keccak_f1600: 9,945 cycles on Cortex-M3 and 9,945 cycles on Cortex-M4 as modelled,
 * 9,104 instructions, 252 bytes of stack, 2,792 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_KECCAK && SELO_BACKEND_THUMB2

#include "../arm/kernel.inc"

/* The stack: the other state, three words of theta's D, the next round constant, what is pushed. */
.equ EFFECT_0_0, 200
.equ EFFECT_1_2, 204
.equ EFFECT_0_4, 208
#define CONSTANT 212
#define FRAME 216

/* Half a row of chi, and a spare word. */
b0 .req r1
b1 .req r2
b2 .req r3
b3 .req r4
b4 .req r5
spare .req r6

/* c_h_x: theta's C, half h of column x. */
c_0_0 .req r7
c_0_1 .req r8
c_0_2 .req r9
c_0_3 .req r10
c_0_4 .req r11
c_1_0 .req r12
c_1_1 .req lr
c_1_2 .req r6
c_1_3 .req r3
c_1_4 .req r4

/* d_h_x: theta's D, half h of column x; the others are on the stack. */
d_0_1 .req r7
d_0_2 .req r8
d_0_3 .req lr
d_1_0 .req r10
d_1_1 .req r12
d_1_3 .req r11
d_1_4 .req r9

/* to = first + second rotated to the right by \by modulo 32. */
.macro add_turned to, first, second, by
    .if (\by) & 31
    eor \to, \first, \second, ror #((\by) & 31)
    .else
    eor \to, \first, \second
    .endif
.endm

/* Three words of a state, half h of lane (x, y), into theta's C. */
.macro parity from, y0, h0, x0, y1, h1, x1, y2, h2, x2
    ldr b0, [\from, #4 * (\h0) + 8 * (\x0 + 5 * \y0)]
    ldr b1, [\from, #4 * (\h1) + 8 * (\x1 + 5 * \y1)]
    ldr b4, [\from, #4 * (\h2) + 8 * (\x2 + 5 * \y2)]
    add_parity b0, \y0, \h0, \x0
    add_parity b1, \y1, \h1, \x1
    add_parity b4, \y2, \h2, \x2
.endm

/* C has the turn of its word of row 4. */
.macro add_parity word, y, h, x
    add_turned c_\h\()_\x, c_\h\()_\x, \word, turned_\h\()_4_\x - turned_\h\()_\y\()_\x
.endm

/* Half h of D of column x, from C of the columns x - 1, whose turn it gets, and x + 1. */
.macro effect to, h, x, before_h, before, after_h, after
    .set turned_d_\h\()_\x, turned_\before_h\()_4_\before
    add_turned \to, c_\before_h\()_\before, c_\after_h\()_\after, \
        turned_\before_h\()_4_\before - turned_\after_h\()_4_\after - (1 - \h)
.endm

/* The order lets each word of D take the place of a word of C that no other needs. */
.macro theta from
    parity \from, 0, 0, 0, 0, 1, 0, 0, 0, 1
    parity \from, 0, 1, 1, 0, 0, 2, 0, 1, 2
    parity \from, 0, 0, 3, 0, 1, 3, 0, 0, 4
    parity \from, 0, 1, 4, 1, 0, 0, 1, 1, 0
    parity \from, 1, 0, 1, 1, 1, 1, 1, 0, 2
    parity \from, 1, 1, 2, 1, 0, 3, 1, 1, 3
    parity \from, 1, 0, 4, 1, 1, 4, 2, 0, 0
    parity \from, 2, 1, 0, 2, 0, 1, 2, 1, 1
    parity \from, 2, 0, 2, 2, 1, 2, 2, 0, 3
    parity \from, 2, 1, 3, 2, 0, 4, 2, 1, 4
    parity \from, 3, 0, 0, 3, 1, 0, 3, 0, 1
    parity \from, 3, 1, 1, 3, 0, 2, 3, 1, 2
    parity \from, 3, 0, 3, 3, 1, 3, 3, 0, 4
    ldr b0, [\from, #4 + 8 * (4 + 5 * 3)]
    add_parity b0, 3, 1, 4
    effect b0, 0, 0, 0, 4, 1, 1
    effect b1, 1, 2, 1, 1, 0, 3
    effect b4, 0, 4, 0, 3, 1, 0
    str b0, [sp, #EFFECT_0_0]
    str b1, [sp, #EFFECT_1_2]
    str b4, [sp, #EFFECT_0_4]
    effect d_1_1, 1, 1, 1, 0, 0, 2
    effect d_0_3, 0, 3, 0, 2, 1, 4
    effect d_1_0, 1, 0, 1, 4, 0, 1
    effect d_0_2, 0, 2, 0, 1, 1, 3
    effect d_1_4, 1, 4, 1, 3, 0, 0
    effect d_0_1, 0, 1, 0, 0, 1, 2
    effect d_1_3, 1, 3, 1, 2, 0, 4
.endm

/* Where theta keeps D of column x: on the stack or in a register. */
.macro load_effect to, h, x
    ldr \to, [sp, #EFFECT_\h\()_\x]
.endm

/* Word \n of half a row before chi: half \h of lane (x, \n), + \d. It is turned by \by more. */
.macro add_effect n, h, x, by, d
    add_turned b\n, b\n, \d, turned_\h\()_\n\()_\x - turned_d_\h\()_\x
    .set turned_b\n, (turned_\h\()_\n\()_\x + \by) & 31
.endm

/* The same with its word of D, if that is on the stack and \stacked is 1, or neither. */
.macro add_its_effect n, h, x, by, stacked
    .if (\h == 0 && \x == 0) || (\h == 1 && \x == 2) || (\h == 0 && \x == 4)
    .if \stacked
    load_effect spare, \h, \x
    add_effect \n, \h, \x, \by, spare
    .endif
    .elseif !\stacked
    add_effect \n, \h, \x, \by, d_\h\()_\x
    .endif
.endm

/* The word of a lane that becomes its half \half when the lane is rotated by \by, which turns the
 * word [KECCAKIMPL, 2.1]. */
.macro take n, half, x, by, stacked
    .if (\half ^ \by) & 1
    add_its_effect \n, 1, \x, (\by + (\by & 1 & ~\half)) / 2, \stacked
    .else
    add_its_effect \n, 0, \x, (\by + (\by & 1 & ~\half)) / 2, \stacked
    .endif
.endm

.macro load_word n, from, half, x, by
    ldr b\n, [\from, #4 * ((\half ^ \by) & 1) + 8 * (\x + 5 * \n)]
.endm

.macro undo_turn n
    .if turned_b\n
    ror b\n, b\n, #(32 - turned_b\n)
    .set turned_b\n, 0
    .endif
.endm

/* A word of chi: b\n0 + (b\n2 and not b\n1). After the second of two rounds, b\n0 or b\n2 is not
 * turned, and so the result is not. */
.macro chi word, n0, n1, n2, half, y, second
    .if (turned_b\n2 - turned_b\n1) & 31
    bic \word, b\n2, b\n1, ror #((turned_b\n2 - turned_b\n1) & 31)
    .else
    bic \word, b\n2, b\n1
    .endif
    .if \second && turned_b\n0
    add_turned \word, \word, b\n0, turned_b\n2 - turned_b\n0
    .set becomes_\half\()_\y\()_\n0, turned_b\n2
    .else
    add_turned \word, b\n0, \word, turned_b\n0 - turned_b\n2
    .set becomes_\half\()_\y\()_\n0, turned_b\n0
    .endif
.endm

.macro put_chi to, word, n0, n1, n2, half, y, second
    chi \word, \n0, \n1, \n2, \half, \y, \second
    str \word, [\to, #4 * \half + 8 * (\n0 + 5 * \y)]
.endm

/* The constant for lane (0, 0), which is never turned. CONSTANT is the address of the last word of the
 * round before the two. The flags tell at the end of both whether they were the last. */
.macro iota half, second
    ldr b1, [sp, #CONSTANT]
    .if \half && \second
    ldr b2, [b1, #16]!
    ldr b3, =constants_end - 4
    str b1, [sp, #CONSTANT]
    cmp b1, b3
    .else
    ldr b2, [b1, #4 * \half + 8 * \second + 4]
    .endif
    eor spare, spare, b2
.endm

/* Half a row of the result. Its word X comes from lane (x, X) with x = X + 3 y. */
.macro half_row from, to, second, half, y, x0, n0, x1, n1, x2, n2, x3, n3, x4, n4
    .if \y == 0 && \half == 0   /* three words of D on the stack: one run of loads */
    load_word 0, \from, 0, 0, 0
    load_effect b1, 0, 0
    load_word 2, \from, 0, 2, 43
    load_effect b3, 1, 2
    load_word 4, \from, 0, 4, 14
    load_effect spare, 0, 4
    add_effect 0, 0, 0, 0, b1
    add_effect 2, 1, 2, 22, b3
    add_effect 4, 0, 4, 7, spare
    load_word 1, \from, 0, 1, 44
    load_word 3, \from, 0, 3, 21
    take 1, 0, 1, 44, 0
    take 3, 0, 3, 21, 0
    .elseif \y == 4 && \half == 1
    load_word 0, \from, 1, 2, 62
    load_effect b1, 1, 2
    load_word 2, \from, 1, 4, 39
    load_effect b4, 0, 4
    load_word 3, \from, 1, 0, 41
    load_effect spare, 0, 0
    add_effect 0, 1, 2, 31, b1
    add_effect 2, 0, 4, 19, b4
    add_effect 3, 0, 0, 20, spare
    load_word 1, \from, 1, 3, 55
    load_word 4, \from, 1, 1, 2
    take 1, 1, 3, 55, 0
    take 4, 1, 1, 2, 0
    .else
    load_word 0, \from, \half, \x0, \n0
    load_word 1, \from, \half, \x1, \n1
    load_word 2, \from, \half, \x2, \n2
    load_word 3, \from, \half, \x3, \n3
    load_word 4, \from, \half, \x4, \n4
    .irp stacked, 1, 0
    take 0, \half, \x0, \n0, \stacked
    take 1, \half, \x1, \n1, \stacked
    take 2, \half, \x2, \n2, \stacked
    take 3, \half, \x3, \n3, \stacked
    take 4, \half, \x4, \n4, \stacked
    .endr
    .endif
    .if \second
    undo_turn 0
    undo_turn 1
    undo_turn 4
    .endif
    .if \y < 4
    put_chi \to, spare, 1, 2, 3, \half, \y, \second
    put_chi \to, spare, 2, 3, 4, \half, \y, \second
    put_chi \to, spare, 3, 4, 0, \half, \y, \second
    put_chi \to, spare, 4, 0, 1, \half, \y, \second
    chi spare, 0, 1, 2, \half, \y, \second
    .if \y == 0
    iota \half, \second
    .endif
    str spare, [\to, #4 * \half + 8 * 5 * \y]
    .else                   /* the order lets c_1_3 and c_1_4 be b2 and b3 */
    put_chi \to, c_\half\()_0, 0, 1, 2, \half, 4, \second
    put_chi \to, c_\half\()_1, 1, 2, 3, \half, 4, \second
    put_chi \to, c_\half\()_2, 2, 3, 4, \half, 4, \second
    put_chi \to, c_\half\()_3, 3, 4, 0, \half, 4, \second
    put_chi \to, c_\half\()_4, 4, 0, 1, \half, 4, \second
    .endif
.endm

.macro row from, to, second, places:vararg
    half_row \from, \to, \second, 0, \places
    half_row \from, \to, \second, 1, \places
.endm

.macro for_row do, h, y
    .irp x, 0, 1, 2, 3, 4
    \do turned_\h\()_\y\()_\x, becomes_\h\()_\y\()_\x
    .endr
.endm

/* Does \do with the turn of each word now and after the round. */
.macro for_words do
    .irp y, 0, 1, 2, 3, 4
    for_row \do, 0, \y
    for_row \do, 1, \y
    .endr
.endm

.macro not_turned now, next
    .set \now, 0
.endm

.macro next_turn now, next
    .set \now, \next
.endm

.macro round from, to, second
    theta \from
    row \from, \to, \second, 0, 0, 0, 1, 44, 2, 43, 3, 21, 4, 14
    row \from, \to, \second, 1, 3, 28, 4, 20, 0, 3, 1, 45, 2, 61
    row \from, \to, \second, 2, 1, 1, 2, 6, 3, 25, 4, 8, 0, 18
    row \from, \to, \second, 3, 4, 27, 0, 36, 1, 10, 2, 15, 3, 56
    row \from, \to, \second, 4, 2, 62, 3, 55, 4, 39, 0, 41, 1, 2
    for_words next_turn
.endm

.macro must_not_be_turned now, next
    .if \now
    .error "the second round leaves a word turned"
    .endif
.endm

.macro load_row_4 x
    ldr c_0_\x, [r0, #8 * (\x + 20)]
    ldr c_1_\x, [r0, #8 * (\x + 20) + 4]
.endm

kernel selo_keccak_f1600
    push {r4-r11, lr}
    sub sp, #FRAME
    ldr r1, =constants - 4
    str r1, [sp, #CONSTANT]
    .irp x, 0, 1, 2, 3, 4
    load_row_4 \x
    .endr
    for_words not_turned
1:
    round r0, sp, 0
    round sp, r0, 1
    for_words must_not_be_turned
    bne.w 1b
    /* The state of the last round but one would give away the input. */
    mov r11, sp
    .irp word, r1, r2, r3, r4, r5, r6, r7, r8, r9
    mov \word, #0
    .endr
    .rept 6
    stm r11!, {r1-r9}
    .endr
    add sp, #FRAME
    pop {r4-r11, pc}
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
