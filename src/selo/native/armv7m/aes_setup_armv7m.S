/*
 * The key schedule of AES on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_aes_sliced_setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size);
 *
 * Makes 16 (key_size / 4 + 7) bytes of round keys [FIPS197, 5.2], in the form that aes_sliced.h
 * describes. key_size is 16, 24 or 32.
 *
 * First the schedule in words. Bit 8 r + i of a word is bit i of byte r, so the word moved down by i
 * bits has slice i in its bits 0, 8, 16 and 24, and SubBytes may do what it likes with the others.
 * Then two round keys at a time become slices, as two blocks do; one more exchange separates them.
 *
 * Cost of selo_aes_sliced_setup with a key of 16 bytes: 3,017 cycles on Cortex-M3 and 3,017 cycles
 * on Cortex-M4 as modelled, 2,849 instructions, 76 bytes of stack, 1,340 bytes of flash
 * (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES && SELO_BACKEND_THUMB2

#include "aes_sliced.inc"
#include "aes_substitute.inc"

/* The stack: substitute's words, the next word of the schedule, its start and end, the size of the
 * key, the round constant, what is pushed. */
#define NEXT 20
#define START 24
#define END 28
#define SIZE 32
#define CONSTANT 36
#define FRAME 40

/* r0 = SubWord of r0 [FIPS197, 5.2]. */
.macro substitute_word
    mov bit0, r0
    lsr bit1, r0, #1
    lsr bit2, r0, #2
    lsr bit3, r0, #3
    lsr bit4, r0, #4
    lsr bit5, r0, #5
    lsr bit6, r0, #6
    lsr bit7, r0, #7
    substitute
    .irp slice, bit0, bit1, bit2, bit3, bit4, bit5, bit6, bit7
    and \slice, \slice, #0x01010101
    .endr
    eor r0, bit0, #0x63636363
    eor r0, r0, bit1, lsl #1
    eor r0, r0, bit2, lsl #2
    eor r0, r0, bit3, lsl #3
    eor r0, r0, bit4, lsl #4
    eor r0, r0, bit5, lsl #5
    eor r0, r0, bit6, lsl #6
    eor r0, r0, bit7, lsl #7
.endm

/* The constant of SubBytes, to the four words of a round key in slices: 0x63 has bits 0, 1, 5 and
 * 6. */
.macro add_constant w0, w1, w2
    eor \w0, \w0, #0x55555555
    mvn \w1, \w1
    eor \w2, \w2, #0xaaaaaaaa
.endm

/* ShiftRows backwards in a word of two slices: byte r rotates by 2 r to the left, by 4 in two of
 * them and by 2 in two. r0 is 0x0f0f0000. Uses r2 and lr. */
.macro shift_back word
    eor lr, \word, \word, lsr #4
    and lr, lr, r0
    eor \word, \word, lr
    eor \word, \word, lr, lsl #4
    and lr, \word, #0x3f003f00
    and r2, \word, #0xc000c000
    bic \word, \word, #0xff00ff00
    orr \word, \word, lr, lsl #2
    orr \word, \word, r2, lsr #6
.endm

kernel selo_aes_sliced_setup
    push {r4-r11, lr}
    sub sp, #FRAME
    str r0, [sp, #START]
    str r2, [sp, #SIZE]
    add r12, r0, r2, lsl #2
    add r12, r12, #112
    str r12, [sp, #END]
    mov r12, #1
    str r12, [sp, #CONSTANT]
    add r12, r0, r2
    str r12, [sp, #NEXT]
1:
    ldr r3, [r1], #4
    str r3, [r0], #4
    cmp r0, r12
    bne 1b
    mov r0, r3
2:
    substitute_word
    ldr r1, [sp, #SIZE]
    ldr r2, [sp, #NEXT]
    ldr r3, [sp, #END]
    ldr r12, [sp, #CONSTANT]
    ldr r5, [sp, #START]
    /* Words until the next substituted one: 4, or 6 of a key of 24 bytes. */
    and r4, r1, #8
    lsr r4, r4, #3
    add r4, r4, #2
    /* A key of 32 bytes: every second time no rotation and no constant. */
    sub r5, r2, r5
    and r5, r5, r1, lsr #1
    tst r5, #16
    bne 3f
    eor r0, r12, r0, ror #8
    lsl r12, r12, #1
    tst r12, #0x100
    it ne
    eorne r12, r12, #0x1b
    uxtb r12, r12
    str r12, [sp, #CONSTANT]
3:
    sub r6, r2, r1
    ldr r7, [r6]
    ldr r8, [r6, #4]
    eor r7, r0, r7
    eor r0, r7, r8
    str r7, [r2]
    str r0, [r2, #4]
    add r2, r2, #8
    cmp r2, r3
    beq 4f
    subs r4, r4, #1
    bne 3b
    str r2, [sp, #NEXT]
    b.w 2b
4:
    ldr r12, [sp, #START]
5: /* The number of round keys is odd: the last counts as two, the second of which is lost. */
    add r1, r12, #16
    cmp r1, r3
    it eq
    moveq r1, r12
    load_blocks r12, r1
    transpose
    exchange bit0, bit4, 1, 0x55555555
    exchange bit1, bit5, 1, 0x55555555
    exchange bit2, bit6, 1, 0x55555555
    exchange bit3, bit7, 1, 0x55555555
    add_constant bit0, bit1, bit2
    add_constant bit4, bit5, bit6
    movw r0, #0
    movt r0, #0x0f0f
    .irp word, bit4, bit5, bit6, bit7
    shift_back \word
    .endr
    str bit4, [r1]
    str bit5, [r1, #4]
    str bit6, [r1, #8]
    str bit7, [r1, #12]
    str bit0, [r12]
    str bit1, [r12, #4]
    str bit2, [r12, #8]
    str bit3, [r12, #12]
    add r12, r12, #32
    cmp r12, r3
    blo 5b
    /* The first round key follows no SubBytes. */
    ldr r12, [sp, #START]
    ldr bit0, [r12]
    ldr bit1, [r12, #4]
    ldr bit2, [r12, #8]
    add_constant bit0, bit1, bit2
    str bit0, [r12]
    str bit1, [r12, #4]
    str bit2, [r12, #8]
    mov r0, #0
    .irp at, 0, 4, 8, 12, 16
    str r0, [sp, #\at]
    .endr
    add sp, #FRAME
    pop {r4-r11, pc}
kernel_end selo_aes_sliced_setup

#endif
