/*
 * AES encryption of one block with a table on Xtensa with the call0 ABI.
 *
 *   void selo_aes_fast_encrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
 *                              uint8_t rounds);
 *
 * out = the ciphertext of in [FIPS197, 5.1]. round_keys has 16 (rounds + 1) bytes, rounds is 10, 12
 * or 14. out may equal in. Nothing needs to be aligned.
 *
 * SubBytes and MixColumns of a byte are one table of 256 words [RIJNDAEL, 5.2]; the column
 * of another row is the same rotated by bytes. A secret indexes the table. It is in RAM (.data),
 * because LX106 has no cache in front of its RAM, but one in front of its flash. Only
 * SELO_AES_TABLES=1 compiles this file.
 *
 * Cost of selo_aes_fast_encrypt: 1,014 instructions with 10 rounds, 1,038 where nothing is
 * aligned, 32 bytes of stack, 792 bytes of flash, 1,024 bytes of RAM (tests/xtensa/run.sh
 * --figures).
 */
#include "../api.h"

#if SELO_NATIVE_AES_ENCRYPT && SELO_BACKEND_XTENSA

#include "kernel.inc"

#define FRAME 32
#define OUT a3
#define TABLE a6
#define T a7
#define U a0
/* The round key: the words that contain its first and its last bytes, which are the same where it
 * is aligned. The low bits of LEFT are those of its address, the others the rounds left. */
#define LOWER a2
#define UPPER a4
#define LEFT a5

/* to = the word at the address whose aligned words are at lower and upper. SAR has its low bits. */
.macro load_word to, lower, upper, at
    l32i \to, \lower, \at
    l32i U, \upper, \at
    src \to, U, \to
.endm

.macro align_down register
    srli \register, \register, 2
    slli \register, \register, 2
.endm

.macro add_key_word to, from, at
    load_word T, LOWER, UPPER, \at
    xor \to, \from, T
.endm

/* a8 to a11 = the columns + the round key. */
.macro add_key c0, c1, c2, c3
    ssa8l LEFT
    add_key_word a8, \c0, 0
    add_key_word a9, \c1, 4
    add_key_word a10, \c2, 8
    add_key_word a11, \c3, 12
    addi LOWER, LOWER, 16
    addi UPPER, UPPER, 16
.endm

/* T = the address of the table's entry for a byte of a column. */
.macro find column, row
    extui T, \column, 8 * \row, 8
    addx4 T, T, TABLE
.endm

/* A column after SubBytes, ShiftRows and MixColumns: row i of it comes from column \ci. SAR is 24. */
.macro mix to, c0, c1, c2, c3
    find \c3, 3
    l32i \to, T, 0
    src \to, \to, \to
    find \c2, 2
    l32i T, T, 0
    xor \to, \to, T
    src \to, \to, \to
    find \c1, 1
    l32i T, T, 0
    xor \to, \to, T
    src \to, \to, \to
    find \c0, 0
    l32i T, T, 0
    xor \to, \to, T
.endm

/* The same without MixColumns. Byte 1 of an entry is that of the S-box. */
.macro last to, c0, c1, c2, c3
    find \c3, 3
    l8ui \to, T, 1
    slli \to, \to, 8
    find \c2, 2
    l8ui T, T, 1
    or \to, \to, T
    slli \to, \to, 8
    find \c1, 1
    l8ui T, T, 1
    or \to, \to, T
    slli \to, \to, 8
    find \c0, 0
    l8ui T, T, 1
    or \to, \to, T
.endm

.macro store_bytes word, at
    s8i \word, OUT, \at
    srli T, \word, 8
    s8i T, OUT, \at + 1
    extui T, \word, 16, 16
    s8i T, OUT, \at + 2
    srli T, T, 8
    s8i T, OUT, \at + 3
.endm

kernel selo_aes_fast_encrypt
    enter FRAME
    ssa8l a4
    addi a12, a4, 3
    align_down a4
    align_down a12
    load_word a8, a4, a12, 0
    load_word a9, a4, a12, 4
    load_word a10, a4, a12, 8
    load_word a11, a4, a12, 12
    extui T, a2, 0, 2
    slli LEFT, LEFT, 2
    add LEFT, LEFT, T
    addi UPPER, a2, 3
    align_down LOWER
    align_down UPPER
    movi TABLE, table
    add_key a8, a9, a10, a11
1:
    addi LEFT, LEFT, -4
    bgeui LEFT, 4, 2f
    j 3f
2:
    ssai 24
    mix a12, a8, a9, a10, a11
    mix a13, a9, a10, a11, a8
    mix a14, a10, a11, a8, a9
    mix a15, a11, a8, a9, a10
    add_key a12, a13, a14, a15
    j 1b
3:
    last a12, a8, a9, a10, a11
    last a13, a9, a10, a11, a8
    last a14, a10, a11, a8, a9
    last a15, a11, a8, a9, a10
    add_key a12, a13, a14, a15
    extui T, OUT, 0, 2
    bnez T, 4f
    s32i a8, OUT, 0
    s32i a9, OUT, 4
    s32i a10, OUT, 8
    s32i a11, OUT, 12
    leave FRAME
4:
    store_bytes a8, 0
    store_bytes a9, 4
    store_bytes a10, 8
    store_bytes a11, 12
    leave FRAME
kernel_end selo_aes_fast_encrypt

/* For each value s of the S-box [FIPS197, 5.1.1]: 2 s, s, s, 3 s, the lowest byte first. */
.macro entries s, others:vararg
    .set DOUBLE, (\s << 1) ^ ((\s >> 7) * 0x11b)
    .byte DOUBLE, \s, \s, DOUBLE ^ \s
    .ifnb \others
    entries \others
    .endif
.endm

    .section .data.selo_aes_table, "aw", @progbits
    .balign 4
table:
    entries 0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5
    entries 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76
    entries 0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0
    entries 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0
    entries 0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc
    entries 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15
    entries 0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a
    entries 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75
    entries 0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0
    entries 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84
    entries 0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b
    entries 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf
    entries 0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85
    entries 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8
    entries 0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5
    entries 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2
    entries 0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17
    entries 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73
    entries 0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88
    entries 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb
    entries 0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c
    entries 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79
    entries 0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9
    entries 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08
    entries 0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6
    entries 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a
    entries 0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e
    entries 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e
    entries 0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94
    entries 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf
    entries 0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68
    entries 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16

#endif
