/*
 * Selo simavr runner: decoding of instructions [AVR-ISA].
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "decode.h"

#include <simavr/sim_core.h>

uint16_t decode_word(const avr_t *avr, uint32_t word)
{
    return (uint16_t)(avr->flash[2 * word] | avr->flash[2 * word + 1] << 8);
}

static int has_two_words(uint16_t o)
{
    return (o & 0xfc0f) == 0x9000     /* LDS, STS */
        || (o & 0xfe0c) == 0x940c;    /* JMP, CALL */
}

static void set(struct instruction *in, enum operation operation, uint8_t d, uint8_t r, uint32_t k)
{
    in->operation = (uint8_t)operation;
    in->d = d;
    in->r = r;
    in->k = k;
}

/* A jump: within the flash, or simavr's. */
static void set_jump(struct instruction *in, enum operation operation, uint8_t d, uint8_t r, int64_t target, uint32_t words)
{
    int inside = target >= 0 && target < words;
    set(in, inside ? operation : OTHER, d, r, inside ? (uint32_t)target : 0);
}

/* 0000 to 2fff: two registers. */
static void decode_registers(struct instruction *in, uint16_t o)
{
    static const uint8_t operations[12] = {
        OTHER, CPC, SBC, ADD, CPSE, CP, SUB, ADC, AND, EOR, OR, MOV
    };
    static const uint8_t products[4] = {MULSU, FMUL, FMULS, FMULSU};
    uint8_t d = o >> 4 & 31, r = (uint8_t)((o >> 5 & 16) | (o & 15));
    if (o >> 10)
        set(in, operations[o >> 10], d, r, 0);
    else if (o == 0)
        set(in, NOP, 0, 0, 0);
    else if (o >> 8 == 1)
        set(in, MOVW, (uint8_t)(o >> 4 & 15) * 2, (uint8_t)(o & 15) * 2, 0);
    else if (o >> 8 == 2)
        set(in, MULS, 16 + (o >> 4 & 15), 16 + (o & 15), 0);
    else if (o >> 8 == 3)
        set(in, products[(o >> 6 & 2) | (o >> 3 & 1)], 16 + (o >> 4 & 7), 16 + (o & 7), 0);
}

/* 9400 to 95ff: one register, flags, and jumps. */
static void decode_single(const avr_t *avr, struct instruction *in, uint32_t at, uint16_t o, uint32_t words)
{
    static const uint8_t operations[16] = {
        COM, NEG, SWAP, INC, OTHER, ASR, LSR, ROR, OTHER, OTHER, DEC
    };
    uint8_t d = o >> 4 & 31;
    if (has_two_words(o)) {
        uint32_t target = (uint32_t)((o & 0x1f0) >> 3 | (o & 1)) << 16 | decode_word(avr, at + 1);
        set_jump(in, o & 2 ? CALL : JMP, 2, 0, target, words);
    } else if ((o & 0xff0f) == 0x9408 && (o >> 4 & 7) != S_I) {
        set(in, o & 0x80 ? FLAG_CLEAR : FLAG_SET, 0, (uint8_t)(1u << (o >> 4 & 7)), 0);
    } else if (o == 0x9508) {
        set(in, RET, 0, 0, 0);
    } else if (o == 0x9409) {
        set(in, IJMP, 0, 0, 0);
    } else if (o == 0x9509) {
        set(in, ICALL, 0, 0, 0);
    } else if (o == 0x95c8) {
        set(in, LPM, 0, 0, 0);
    } else {
        set(in, operations[o & 15], d, 0, 0);
    }
}

/* 9000 to 93ff: loads, stores, and the stack. */
static void decode_load(const avr_t *avr, struct instruction *in, uint32_t at, uint16_t o)
{
    static const uint8_t pointers[4] = {R_ZL, OTHER, R_YL, R_XL};
    /* None, up by one after the access, and down by one before it. */
    static const uint32_t moves[3] = {0, 0x00010000, 0xffffffff};
    uint8_t d = o >> 4 & 31, pointer = pointers[o >> 2 & 3];
    int store = o >> 9 & 1, move = o & 3;
    if ((o & 15) == 0)
        set(in, store ? STS : LDS, d, 0, decode_word(avr, at + 1));
    else if ((o & 15) == 15)
        set(in, store ? PUSH : POP, d, 0, 0);
    else if ((o & 14) == 4 && !store)
        set(in, o & 1 ? LPM_UP : LPM, d, 0, 0);
    else if ((o & 12) == 4 || move == 3 || (move == 0 && pointer != R_XL))
        return;
    else
        set(in, store ? ST : LD, d, pointer, moves[move]);
}

/* 9600 to 9fff: words, bits of I/O registers, and the product. */
static void decode_rest_of_9(struct instruction *in, uint16_t o)
{
    if ((o & 0xfc00) == 0x9c00)
        set(in, MUL, o >> 4 & 31, (uint8_t)((o >> 5 & 16) | (o & 15)), 0);
    else if ((o & 0xfe00) == 0x9600)
        set(in, o & 0x100 ? SBIW : ADIW, 24 + (o >> 3 & 6), 0, (uint32_t)((o & 0xc0) >> 2 | (o & 15)));
    else if ((o & 0xfd00) == 0x9900)
        set(in, SKIP_IO, 32 + (o >> 3 & 31), (uint8_t)(1u << (o & 7)), o & 0x200 ? 1 : 0);
}

/* f000 to ffff: branches and bits. */
static void decode_bits(struct instruction *in, uint32_t at, uint16_t o, uint32_t words)
{
    uint8_t d = o >> 4 & 31, mask = (uint8_t)(1u << (o & 7));
    int offset = (o >> 3 & 127) - (o & 0x200 ? 128 : 0);
    if (!(o & 0x800))
        set_jump(in, o & 0x400 ? BRANCH_CLEAR : BRANCH_SET, 0, mask, (int64_t)at + 1 + offset, words);
    else if (o & 8)
        return;
    else if (o & 0x400)
        set(in, SKIP_BIT, d, mask, o & 0x200 ? 1 : 0);
    else
        set(in, o & 0x200 ? BST : BLD, d, mask, 0);
}

void decode(const avr_t *avr, struct instruction *in, uint32_t at, uint32_t words)
{
    uint16_t o = decode_word(avr, at);
    uint8_t h = 16 + (o >> 4 & 15), k = (uint8_t)((o >> 4 & 0xf0) | (o & 15));
    uint8_t io = (uint8_t)(32 + ((o >> 5 & 48) | (o & 15)));
    int offset = (o & 0x7ff) - (o & 0x800);
    set(in, OTHER, 0, 0, 0);
    in->words_over = at + 1 < words && has_two_words(decode_word(avr, at + 1)) ? 3 : 2;
    switch (o >> 12) {
    case 0: case 1: case 2: decode_registers(in, o); break;
    case 3: set(in, CPI, h, 0, k); break;
    case 4: set(in, SBCI, h, 0, k); break;
    case 5: set(in, SUBI, h, 0, k); break;
    case 6: set(in, ORI, h, 0, k); break;
    case 7: set(in, ANDI, h, 0, k); break;
    case 8: case 10:
        set(in, o & 0x200 ? ST : LD, o >> 4 & 31, o & 8 ? R_YL : R_ZL,
            (uint32_t)((o & 0x2000) >> 8 | (o & 0xc00) >> 7 | (o & 7)));
        break;
    case 9:
        if (at + 1 == words)
            break; /* may have a second word, which is not there */
        if ((o & 0xfc00) == 0x9000)
            decode_load(avr, in, at, o);
        else if ((o & 0xfe00) == 0x9400)
            decode_single(avr, in, at, o, words);
        else
            decode_rest_of_9(in, o);
        break;
    case 11: set(in, o & 0x800 ? OUT : IN, o >> 4 & 31, io, 0); break;
    case 12: case 13:
        set_jump(in, o & 0x1000 ? RCALL : RJMP, 1, 0,
                 ((int64_t)at + 1 + offset + words) % words, words);
        break;
    case 14: set(in, LDI, h, 0, k); break;
    default: decode_bits(in, at, o, words);
    }
}
