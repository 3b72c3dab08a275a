/*
 * The block step of Poly1305 on ARMv6-M, in ten words of 13 bits.
 *
 *   void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17]);
 *
 * mac.sum = (mac.sum + block) r modulo 2^130 - 5 [RFC8439, 2.5], with 13 bits in a word, of which the
 * second may exceed that by 1. mac is aligned to 2 bytes; it has sum, then multiplier: 5 times the
 * words of r from the second on, then r (poly1305.h).
 *
 * As poly1305_halves.c, whose bounds these are. The ten words of mac.sum + block stay in registers for
 * all columns, six of them in high ones. A column's words of r follow each other.
 *
 * Cost of selo_poly1305_block: 804 cycles on Cortex-M0 as modelled, 606 instructions, 56 bytes of stack,
 * 424 bytes of flash (tests/arm/run.sh --figures). A Cortex-M3 has armv7m/poly1305_blocks_armv7m.S.
 */
#include "../api.h"

#if SELO_NATIVE_POLY1305_HALVES && SELO_BACKEND_THUMB1

#include "../arm/kernel.inc"

#define MULTIPLIER 20

/* to = the word at r1, which has no alignment, and r1 moves on. Uses r2. */
.macro load_word to
    ldrb \to, [r1]
    ldrb r2, [r1, #1]
    lsls r2, r2, #8
    orrs \to, \to, r2
    ldrb r2, [r1, #2]
    lsls r2, r2, #16
    orrs \to, \to, r2
    ldrb r2, [r1, #3]
    lsls r2, r2, #24
    orrs \to, \to, r2
    adds r1, r1, #4
.endm

/* r0 = its lowest 13 bits + word \i of the sum + the carry; a new carry. */
.macro add_word i
    ands r0, r0, r6
    ldrh r2, [r7, #2 * \i]
    adds r0, r0, r2
    adds r0, r0, r5
    lsrs r5, r0, #13
    ands r0, r0, r6
.endm

/* r0 = bits from \low of \lower and from bit 0 of \upper. */
.macro across lower, low, upper
    lsrs r0, \lower, #\low
    lsls r2, \upper, #(32 - \low)
    orrs r0, r0, r2
.endm

/* r0 += a word of the sum in a low register times word \k of the multiplier. */
.macro add_product word, k
    ldrh r2, [r7, #MULTIPLIER + 2 * \k]
    muls r2, \word, r2
    adds r0, r0, r2
.endm

/* The same in a high register. */
.macro add_high word, k
    mov r1, \word
    add_product r1, \k
.endm

kernel selo_poly1305_block
    push {r4-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r4-r7}
    sub sp, #20
    mov r7, r0
    movs r5, #0
    ldr r6, =8191
    load_word r3
    mov r0, r3
    add_word 0
    mov r8, r0
    lsrs r0, r3, #13
    add_word 1
    mov r9, r0
    load_word r4
    across r3, 26, r4
    add_word 2
    mov r10, r0
    lsrs r0, r4, #7
    add_word 3
    mov r11, r0
    load_word r3
    across r4, 20, r3
    add_word 4
    mov r12, r0
    lsrs r0, r3, #1
    add_word 5
    mov lr, r0
    lsrs r0, r3, #14
    add_word 6
    str r0, [sp]
    load_word r4
    across r3, 27, r4
    add_word 7
    str r0, [sp, #4]
    lsrs r0, r4, #8
    add_word 8
    str r0, [sp, #8]
    lsrs r0, r4, #21
    ldrb r2, [r1]
    lsls r2, r2, #11
    orrs r0, r0, r2
    ands r0, r0, r6
    ldrh r2, [r7, #2 * 9]
    adds r0, r0, r2
    adds r6, r0, r5         /* word 9 keeps its carry */
    ldr r3, [sp]
    ldr r4, [sp, #4]
    ldr r5, [sp, #8]
    mov r0, r7
    adds r0, r0, #20
    str r0, [sp, #16]
    movs r0, #0
1:  /* A column. r7 moves on with it. */
    add_high r8, 9
    add_high r9, 8
    add_high r10, 7
    add_high r11, 6
    add_high r12, 5
    add_high lr, 4
    add_product r3, 3
    add_product r4, 2
    add_product r5, 1
    add_product r6, 0
    lsls r1, r0, #19
    lsrs r1, r1, #19
    strh r1, [r7]
    lsrs r0, r0, #13
    adds r7, r7, #2
    ldr r1, [sp, #16]
    cmp r1, r7
    bne 1b
    /* 2^130 = 5 */
    subs r7, r7, #20
    movs r1, #5
    muls r0, r1, r0
    ldrh r1, [r7]
    adds r0, r0, r1
    lsls r1, r0, #19
    lsrs r1, r1, #19
    strh r1, [r7]
    lsrs r0, r0, #13
    ldrh r1, [r7, #2]
    adds r0, r0, r1
    strh r0, [r7, #2]
    add sp, #20
    pop {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    pop {r4-r7, pc}
    .ltorg
kernel_end selo_poly1305_block

#endif
