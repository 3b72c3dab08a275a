/*
 * The key schedule of AES on ARM cores with 16-bit Thumb instructions only.
 *
 *   void selo_aes_sliced_setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size);
 *
 * Makes 16 (key_size / 4 + 7) bytes of round keys [FIPS197, 5.2], in the form that aes/aes_sliced.h
 * describes. key_size is 16, 24 or 32. Nothing needs to be aligned, but the cost below is that of
 * aligned round keys.
 *
 * First the schedule in words. Bit 8 r + i of a word is bit i of byte r, so the word moved down by i
 * bits has slice i in its bits 0, 8, 16 and 24, and SubBytes may do what it likes with the others.
 * Then two round keys at a time become slices, as two blocks do; one more exchange separates them.
 *
 * Cost of selo_aes_sliced_setup with a key of 16 bytes: 5,845 cycles on Cortex-M0 as modelled, 4,513
 * instructions, 140 bytes of stack, 1,204 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES && SELO_BACKEND_THUMB1

#include "aes_sliced.inc"
#include "aes_substitute.inc"

/* More on the stack: the round keys' start, the size of the key, the round constant. */
#define START FRAME
#define SIZE (FRAME + 4)
#define CONSTANT (FRAME + 8)
#define SETUP_FRAME (FRAME + 12)

/* r0 = SubWord of r0 [FIPS197, 5.2]. */
.macro substitute_word
    str r0, [sp]
    .irp index, 1, 2, 3, 4, 5, 6, 7
    lsrs r1, r0, #\index
    str r1, [sp, #4 * \index]
    .endr
    substitute
    ldr r0, =0x63636363
    ldr r2, =0x01010101
    .irp index, 0, 1, 2, 3, 4, 5, 6, 7
    ldr r1, [sp, #OUT + 4 * \index]
    ands r1, r1, r2
    .if \index
    lsls r1, r1, #\index
    .endif
    eors r0, r0, r1
    .endr
.endm

/* Word index of two round keys, from r8 to r11 and \other: the last step, what separates them, and the
 * constant of SubBytes: 0x63 has bits 0, 1, 5 and 6. ShiftRows backwards in that of the second: byte r of
 * a word of two slices rotates by 2 r to the left, by 4 in two of them and by 2 in two. Uses r4 to r7. */
.macro finish_words index, from, other
    mov r6, \from
    ldr r5, =0x0f0f0f0f
    exchange r6, \other, 4, r5
    ldr r5, =0x55555555
    exchange r6, \other, 1, r5
    .if \index == 0
    eors r6, r6, r5
    eors \other, \other, r5
    .elseif \index == 1
    mvns r6, r6
    mvns \other, \other
    .elseif \index == 2
    mvns r5, r5
    eors r6, r6, r5
    eors \other, \other, r5
    .endif
    lsrs r4, \other, #4
    eors r4, r4, \other
    ldr r5, =0x0f0f0000
    ands r4, r4, r5
    eors \other, \other, r4
    lsls r4, r4, #4
    eors \other, \other, r4
    ldr r5, =0x3f003f00
    ands r5, r5, \other
    ldr r4, =0xc000c000
    ands r4, r4, \other
    ldr r7, =0x00ff00ff
    ands \other, \other, r7
    lsls r5, r5, #2
    lsrs r4, r4, #6
    orrs \other, \other, r5
    orrs \other, \other, r4
    ldr r7, [sp]
    str \other, [r7, #4 * \index]
    ldr r7, [sp, #KEY]
    str r6, [r7, #4 * \index]
.endm

kernel selo_aes_sliced_setup
    push {r4-r7, lr}
    lsls r5, r0, #30
    beq 9f
    /* Makes the round keys on the stack, and moves them. */
    sub sp, #KEYS
    mov r4, r0
    lsls r6, r2, #2
    adds r6, #112
    mov r0, sp
    bl 8f
    mov r0, sp
    movs r2, #0
7:  ldrb r1, [r0]
    strb r1, [r4]
    strb r2, [r0]
    adds r0, #1
    adds r4, #1
    subs r6, #1
    bne 7b
    add sp, #KEYS
    pop {r4-r7, pc}
8:
    push {r4-r7, lr}
9:
    mov r5, r8
    mov r6, r9
    mov r7, r10
    push {r5-r7}
    mov r5, r11
    push {r5}
    sub sp, #SETUP_FRAME
    str r0, [sp, #START]
    str r2, [sp, #SIZE]
    lsls r3, r2, #2
    adds r3, #112
    adds r3, r3, r0
    str r3, [sp, #LAST]
    movs r3, #1
    str r3, [sp, #CONSTANT]
    adds r4, r0, r2
1:  ldrb r3, [r1]
    strb r3, [r0]
    adds r1, #1
    adds r0, #1
    cmp r0, r4
    bne 1b
    str r0, [sp, #KEY]
    subs r0, #4
    ldr r0, [r0]
2:  /* KEY is the next word of the schedule, r0 the last. */
    substitute_word
    ldr r1, [sp, #SIZE]
    ldr r2, [sp, #KEY]
    ldr r3, [sp, #LAST]
    /* Words until the next substituted one: 4, or 6 of a key of 24 bytes. */
    movs r4, #8
    ands r4, r4, r1
    adds r4, #16
    adds r4, r4, r2
    /* A key of 32 bytes: every second time no rotation and no constant. */
    ldr r5, [sp, #START]
    subs r5, r2, r5
    lsrs r6, r1, #1
    ands r5, r5, r6
    lsls r5, r5, #27
    bmi 3f
    movs r5, #8
    rors r0, r0, r5
    ldr r5, [sp, #CONSTANT]
    eors r0, r0, r5
    lsls r5, r5, #1
    lsrs r6, r5, #8
    beq 1f
    movs r6, #0x1b
    eors r5, r5, r6
    uxtb r5, r5
1:  str r5, [sp, #CONSTANT]
3:  subs r5, r2, r1
    ldr r5, [r5]
    eors r0, r0, r5
    stm r2!, {r0}
    cmp r2, r3
    beq 4f
    cmp r2, r4
    bne 3b
    str r2, [sp, #KEY]
    b 2b
    .ltorg
4:
    ldr r6, [sp, #START]
5:  /* The number of round keys is odd: the last counts as two, the second of which is lost. */
    str r6, [sp, #KEY]
    mov r7, r6
    adds r7, #16
    ldr r0, [sp, #LAST]
    cmp r7, r0
    bne 1f
    mov r7, r6
1:
    str r7, [sp]
    load_and_transpose
    finish_words 0, r8, r0
    finish_words 1, r9, r1
    finish_words 2, r10, r2
    finish_words 3, r11, r3
    ldr r6, [sp, #KEY]
    adds r6, #32
    ldr r0, [sp, #LAST]
    cmp r6, r0
    bhs 6f
    b 5b
6:  /* The first round key follows no SubBytes. */
    ldr r6, [sp, #START]
    ldm r6!, {r0-r2}
    subs r6, #12
    ldr r5, =0x55555555
    eors r0, r0, r5
    mvns r1, r1
    mvns r5, r5
    eors r2, r2, r5
    stm r6!, {r0-r2}
    wipe
    add sp, #SETUP_FRAME
    pop {r3-r6}
    mov r11, r3
    mov r8, r4
    mov r9, r5
    mov r10, r6
    pop {r4-r7, pc}
    .ltorg
kernel_end selo_aes_sliced_setup

#endif
