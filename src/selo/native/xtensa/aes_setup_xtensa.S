/*
 * The key schedule of AES without tables on Xtensa with the call0 ABI.
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
 * Cost of selo_aes_sliced_setup with a key of 16 bytes: 3,462 instructions, 112 bytes of stack,
 * 1,409 bytes of flash (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES && SELO_BACKEND_XTENSA

#include "aes_sliced.inc"
#include "aes_substitute.inc"

/* The round keys' start, the size of the key, and the round constant are where the other kernels
 * have something else. */
#define START OUT
#define SIZE STRIDE
#define CONSTANT BUFFER

/* a2 = SubWord of a2 [FIPS197, 5.2]. Uses a3 to a7. */
.macro substitute_word
    mov BIT0, a2
    srli BIT1, a2, 1
    srli BIT2, a2, 2
    srli BIT3, a2, 3
    srli BIT4, a2, 4
    srli BIT5, a2, 5
    srli BIT6, a2, 6
    srli BIT7, a2, 7
    substitute
    movi a3, 0x01010101
    movi a2, 0x63636363
    and BIT0, BIT0, a3
    xor a2, a2, BIT0
    .set AT, 1
    .irp slice, BIT1, BIT2, BIT3, BIT4, BIT5, BIT6, BIT7
        and \slice, \slice, a3
        slli \slice, \slice, AT
        xor a2, a2, \slice
        .set AT, AT + 1
    .endr
.endm

/* The constant of SubBytes, to the four words of a round key in slices: 0x63 has bits 0, 1, 5 and
 * 6. Uses a2. */
.macro add_constant w0, w1, w2
    movi a2, 0x55555555
    xor \w0, \w0, a2
    movi a2, 0xaaaaaaaa
    xor \w2, \w2, a2
    movi a2, -1
    xor \w1, \w1, a2
.endm

/* ShiftRows backwards in a word of two slices: byte r rotates by 2 r to the left, by 4 in two of
 * them and by 2 in two. a4 to a7 are 0x0f0f0000, 0x3f003f00, 0xc000c000 and 0x00ff00ff. Uses a2 and
 * a3. */
.macro shift_back word
    srli a2, \word, 4
    xor a2, a2, \word
    and a2, a2, a4
    xor \word, \word, a2
    slli a2, a2, 4
    xor \word, \word, a2
    and a2, \word, a5
    and a3, \word, a6
    and \word, \word, a7
    slli a2, a2, 2
    srli a3, a3, 6
    or \word, \word, a2
    or \word, \word, a3
.endm

kernel selo_aes_sliced_setup
    extui a5, a2, 0, 2
    beqz a5, 3f
    /* Makes the round keys on the stack, and moves them. */
    addi a1, a1, -128
    addi a1, a1, -128
    addi a1, a1, -16
    s32i a0, a1, KEYS
    s32i a2, a1, KEYS + 4
    mov a2, a1
    call0 3f
    l32i a4, a1, KEYS + 4
    mov a5, a1
    movi a7, KEYS
    add a7, a7, a1
    movi a6, 0
1:  l8ui a3, a5, 0
    bgeu a5, a2, 2f         /* a2 is the end of the round keys */
    s8i a3, a4, 0
    addi a4, a4, 1
2:  s8i a6, a5, 0
    addi a5, a5, 1
    bne a5, a7, 1b
    l32i a0, a1, KEYS
    addi a1, a1, 127
    addi a1, a1, 127
    addi a1, a1, 18
    ret
    .balign 4
3:
    enter FRAME
    s32i a2, a1, START
    s32i a4, a1, SIZE
    addi a5, a4, 28
    slli a5, a5, 2
    add a5, a5, a2
    s32i a5, a1, END
    movi a5, 1
    s32i a5, a1, CONSTANT
    mov KEY, a2
    add a4, a4, a2
4:  l8ui a2, a3, 0
    addi a3, a3, 1
    s8i a2, KEY, 0
    addi KEY, KEY, 1
    bne KEY, a4, 4b
    addi a2, KEY, -4
    l32i a2, a2, 0
5:  /* KEY is the next word of the schedule, a2 the last. */
    substitute_word
    l32i a3, a1, SIZE
    l32i a4, a1, END
    l32i a5, a1, CONSTANT
    l32i a6, a1, START
    /* Words until the next substituted one: 4, or 6 of a key of 24 bytes. */
    extui a7, a3, 3, 1
    addi a7, a7, 2
    slli a7, a7, 3
    add a7, a7, KEY
    /* A key of 32 bytes: every second time no rotation and no constant. */
    sub a6, KEY, a6
    srli a8, a3, 1
    and a6, a6, a8
    bbsi a6, 4, 6f
    ssai 8
    src a2, a2, a2
    xor a2, a2, a5
    slli a5, a5, 1
    bbci a5, 8, 7f
    movi a6, 0x11b
    xor a5, a5, a6
7:  s32i a5, a1, CONSTANT
6:  sub a6, KEY, a3
    l32i a6, a6, 0
    xor a2, a2, a6
    s32i a2, KEY, 0
    addi KEY, KEY, 4
    beq KEY, a4, 8f
    bne KEY, a7, 6b
    j 5b
8:
    l32i KEY, a1, START
9:  /* The number of round keys is odd: the last counts as two, the second of which is lost. */
    addi a3, KEY, 16
    l32i a4, a1, END
    bne a3, a4, 1f
    mov a3, KEY
1:
    s32i a3, a1, STRIDE     /* the size of the key is not needed any more */
    load_words KEY, a3
    transpose
    movi a3, 0x55555555
    exchange BIT0, BIT4, 1, a3
    exchange BIT1, BIT5, 1, a3
    exchange BIT2, BIT6, 1, a3
    exchange BIT3, BIT7, 1, a3
    add_constant BIT0, BIT1, BIT2
    add_constant BIT4, BIT5, BIT6
    movi a4, 0x0f0f0000
    movi a5, 0x3f003f00
    movi a6, 0xc000c000
    movi a7, 0x00ff00ff
    shift_back BIT4
    shift_back BIT5
    shift_back BIT6
    shift_back BIT7
    l32i a3, a1, STRIDE
    s32i BIT4, a3, 0
    s32i BIT5, a3, 4
    s32i BIT6, a3, 8
    s32i BIT7, a3, 12
    s32i BIT0, KEY, 0
    s32i BIT1, KEY, 4
    s32i BIT2, KEY, 8
    s32i BIT3, KEY, 12
    addi KEY, KEY, 32
    l32i a4, a1, END
    bltu KEY, a4, 9b
    /* The first round key follows no SubBytes. */
    l32i KEY, a1, START
    l32i BIT0, KEY, 0
    l32i BIT1, KEY, 4
    l32i BIT2, KEY, 8
    add_constant BIT0, BIT1, BIT2
    s32i BIT0, KEY, 0
    s32i BIT1, KEY, 4
    s32i BIT2, KEY, 8
    /* The words of the last round would give away its key. */
    movi a2, 0
    .irp at, 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40
        s32i a2, a1, WORDS + \at
    .endr
    mov a2, a4
    leave FRAME
kernel_end selo_aes_sliced_setup

#endif
