/*
 * AES encryption of one block with a table on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_aes_fast_encrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
 *                              uint8_t rounds);
 *
 * out = the ciphertext of in [FIPS197, 5.1]. round_keys has 16 (rounds + 1) bytes, rounds is 10, 12
 * or 14. out may equal in. Nothing needs to be aligned.
 *
 * SubBytes and MixColumns of a byte are one table of 256 words [RIJNDAEL, 5.2]; the column
 * of another row is the same rotated by bytes, which is part of an addition. A secret indexes the
 * table, so this takes constant time only where no cache lies between the core and the table. Only
 * SELO_AES_TABLES=1 compiles this file. Loads stand next to each other, because a load that
 * follows a load takes one cycle in place of two.
 *
 * Cost of selo_aes_fast_encrypt with 10 rounds: 646 cycles on Cortex-M3 and 646 cycles on
 * Cortex-M4 as modelled, 566 instructions, 44 bytes of stack, 696 bytes of flash, and the table's
 * 1,024 bytes (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES_ENCRYPT && SELO_BACKEND_THUMB2

#include "../arm/kernel.inc"

#define KEY r0
#define TABLE r12
#define A r1
#define B r2
#define C r3
#define D lr

/* A, B, C and D = the bytes of row 0 to 3 of these columns. */
.macro take c0, c1, c2, c3
    uxtb A, \c0
    ubfx B, \c1, #8, #8
    ubfx C, \c2, #16, #8
    lsr D, \c3, #24
.endm

/* A column after SubBytes, ShiftRows, MixColumns and AddRoundKey. Row i of it comes from column
 * \ci. */
.macro mix to, c0, c1, c2, c3, at
    take \c0, \c1, \c2, \c3
    ldr A, [TABLE, A, lsl #2]
    ldr B, [TABLE, B, lsl #2]
    ldr C, [TABLE, C, lsl #2]
    ldr D, [TABLE, D, lsl #2]
    ldr \to, [KEY, #\at]
    eor \to, \to, A
    eor \to, \to, B, ror #24
    eor \to, \to, C, ror #16
    eor \to, \to, D, ror #8
.endm

/* The same in the last round, which has no MixColumns. TABLE is one byte further: each byte is that
 * of the S-box. */
.macro last to, c0, c1, c2, c3, at
    take \c0, \c1, \c2, \c3
    ldrb A, [TABLE, A, lsl #2]
    ldrb B, [TABLE, B, lsl #2]
    ldrb C, [TABLE, C, lsl #2]
    ldrb D, [TABLE, D, lsl #2]
    ldr \to, [KEY, #\at]
    eor \to, \to, A
    eor \to, \to, B, lsl #8
    eor \to, \to, C, lsl #16
    eor \to, \to, D, lsl #24
.endm

kernel selo_aes_fast_encrypt
    push {r1, r3-r11, lr}
    ldr r4, [r2]
    ldr r5, [r2, #4]
    ldr r6, [r2, #8]
    ldr r7, [r2, #12]
    ldr r8, [KEY]
    ldr r9, [KEY, #4]
    ldr r10, [KEY, #8]
    ldr r11, [KEY, #12]
    eor r4, r4, r8
    eor r5, r5, r9
    eor r6, r6, r10
    eor r7, r7, r11
    movw TABLE, #:lower16:selo_aes_columns
    movt TABLE, #:upper16:selo_aes_columns
    add r3, KEY, r3, lsl #4 /* the key of the last round. Two rounds before it the loop ends. */
    sub r3, r3, #32
    str r3, [sp, #4]
    b 2f
1:
    mix r4, r8, r9, r10, r11, 0
    mix r5, r9, r10, r11, r8, 4
    mix r6, r10, r11, r8, r9, 8
    mix r7, r11, r8, r9, r10, 12
2:
    mix r8, r4, r5, r6, r7, 16
    mix r9, r5, r6, r7, r4, 20
    mix r10, r6, r7, r4, r5, 24
    mix r11, r7, r4, r5, r6, 28
    ldr A, [sp, #4]
    cmp KEY, A
    add KEY, KEY, #32
    bne 1b
    add TABLE, TABLE, #1
    last r4, r8, r9, r10, r11, 0
    last r5, r9, r10, r11, r8, 4
    last r6, r10, r11, r8, r9, 8
    last r7, r11, r8, r9, r10, 12
    pop {r1, r3}
    str r4, [r1]
    str r5, [r1, #4]
    str r6, [r1, #8]
    str r7, [r1, #12]
    pop {r4-r11, pc}
kernel_end selo_aes_fast_encrypt

#endif
