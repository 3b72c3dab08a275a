/*
 * The key schedule of AES on RV32.
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
 * Cost of selo_aes_sliced_setup with a key of 16 bytes: 3,306 instructions, 1,624 bytes of flash;
 * with Zbb 3,286 instructions, 1,620 bytes of flash; 80 bytes of stack (tests/riscv/run.sh
 * --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES && SELO_BACKEND_RISCV32

#include "aes_sliced.inc"
#include "aes_substitute.inc"

/* The frame below what is saved: the round keys' start and end, the size of the key, the round
 * constant. */
#define START 0
#define LIMIT 4
#define SIZE 8
#define CONSTANT 12

/* t0 = SubWord of t0 [FIPS197, 5.2]. */
.macro substitute_word
    mv BIT0, t0
    srli BIT1, t0, 1
    srli BIT2, t0, 2
    srli BIT3, t0, 3
    srli BIT4, t0, 4
    srli BIT5, t0, 5
    srli BIT6, t0, 6
    srli BIT7, t0, 7
    substitute
    li t1, 0x01010101
    li t0, 0x63636363
    .set AT, 0
    .irp slice, BIT0, BIT1, BIT2, BIT3, BIT4, BIT5, BIT6, BIT7
        and \slice, \slice, t1
        slli \slice, \slice, AT
        xor t0, t0, \slice
        .set AT, AT + 1
    .endr
.endm

/* The constant of SubBytes, to the four words of a round key in slices: 0x63 has bits 0, 1, 5 and
 * 6. t1 is 0x55555555 and t2 is 0xaaaaaaaa. */
.macro add_constant w0, w1, w2
    xor \w0, \w0, t1
    not \w1, \w1
    xor \w2, \w2, t2
.endm

/* ShiftRows backwards in a word of two slices: byte r rotates by 2 r to the left, by 4 in two of
 * them and by 2 in two. t3 to t6 are 0x0f0f0000, 0x3f003f00, 0xc000c000 and 0x00ff00ff. Uses t0 to
 * t2. */
.macro shift_back word
    srli t0, \word, 4
    xor t0, t0, \word
    and t0, t0, t3
    xor \word, \word, t0
    slli t0, t0, 4
    xor \word, \word, t0
    and t0, \word, t4
    and t1, \word, t5
    and \word, \word, t6
    slli t0, t0, 2
    srli t1, t1, 6
    or \word, \word, t0
    or \word, \word, t1
.endm

kernel selo_aes_sliced_setup
    andi t0, a0, 3
    beqz t0, 3f
    /* Makes the round keys on the stack, and moves them. */
    addi sp, sp, -(KEYS + 16)
    sw ra, KEYS(sp)
    sw a0, KEYS + 4(sp)
    mv a0, sp
    jal ra, 3f
    lw a0, KEYS + 4(sp)
    lw ra, KEYS(sp)
    mv t0, sp
    addi t2, sp, KEYS
1:  lbu t1, 0(t0)
    bgeu t0, a1, 2f         /* a1 is the end of the round keys */
    sb t1, 0(a0)
    addi a0, a0, 1
2:  sb zero, 0(t0)
    addi t0, t0, 1
    bne t0, t2, 1b
    addi sp, sp, KEYS + 16
    ret
3:
    save s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra
    addi sp, sp, -16
    sw a0, START(sp)
    sw a2, SIZE(sp)
    slli t0, a2, 2
    add t0, t0, a0
    addi t0, t0, 112
    sw t0, LIMIT(sp)
    li t1, 1
    sw t1, CONSTANT(sp)
    mv KEY, a0
    add t2, a0, a2
4:  lbu t0, 0(a1)
    addi a1, a1, 1
    sb t0, 0(KEY)
    addi KEY, KEY, 1
    bne KEY, t2, 4b
    lw t0, -4(KEY)
5:  /* KEY is the next word of the schedule, t0 the last. */
    substitute_word
    lw t1, SIZE(sp)
    lw t2, LIMIT(sp)
    lw t3, CONSTANT(sp)
    lw t4, START(sp)
    /* Words until the next substituted one: 4, or 6 of a key of 24 bytes. */
    andi t5, t1, 8
    srli t5, t5, 1
    addi t5, t5, 8
    slli t5, t5, 1
    add t5, t5, KEY
    /* A key of 32 bytes: every second time no rotation and no constant. */
    sub t4, KEY, t4
    srli t6, t1, 1
    and t4, t4, t6
    andi t4, t4, 16
    bnez t4, 6f
    rotate_right t0, 8, t6
    xor t0, t0, t3
    slli t3, t3, 1
    andi t6, t3, 0x100
    beqz t6, 7f
    xori t3, t3, 0x11b
7:  sw t3, CONSTANT(sp)
6:  sub t6, KEY, t1
    lw t6, 0(t6)
    xor t0, t0, t6
    sw t0, 0(KEY)
    addi KEY, KEY, 4
    beq KEY, t2, 8f
    bne KEY, t5, 6b
    j 5b
8:
    lw KEY, START(sp)
9:  /* The number of round keys is odd: the last counts as two, the second of which is lost. */
    addi END, KEY, 16
    lw t2, LIMIT(sp)
    bne END, t2, 1f
    mv END, KEY
1:
    load_words KEY, END
    transpose
    li t1, 0x55555555
    exchange BIT0, BIT4, 1, t1
    exchange BIT1, BIT5, 1, t1
    exchange BIT2, BIT6, 1, t1
    exchange BIT3, BIT7, 1, t1
    not t2, t1
    add_constant BIT0, BIT1, BIT2
    add_constant BIT4, BIT5, BIT6
    li t3, 0x0f0f0000
    li t4, 0x3f003f00
    li t5, 0xc000c000
    li t6, 0x00ff00ff
    shift_back BIT4
    shift_back BIT5
    shift_back BIT6
    shift_back BIT7
    sw BIT4, 0(END)
    sw BIT5, 4(END)
    sw BIT6, 8(END)
    sw BIT7, 12(END)
    sw BIT0, 0(KEY)
    sw BIT1, 4(KEY)
    sw BIT2, 8(KEY)
    sw BIT3, 12(KEY)
    addi KEY, KEY, 32
    lw t2, LIMIT(sp)
    bltu KEY, t2, 9b
    /* The first round key follows no SubBytes. */
    lw KEY, START(sp)
    lw BIT0, 0(KEY)
    lw BIT1, 4(KEY)
    lw BIT2, 8(KEY)
    li t1, 0x55555555
    not t2, t1
    add_constant BIT0, BIT1, BIT2
    sw BIT0, 0(KEY)
    sw BIT1, 4(KEY)
    sw BIT2, 8(KEY)
    lw t0, LIMIT(sp)
    addi sp, sp, 16
    mv a1, t0
    restore_and_return s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra
kernel_end selo_aes_sliced_setup

#endif
