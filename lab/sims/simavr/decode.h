/*
 * Selo simavr runner: decoded instructions.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_DECODE_H
#define SELO_SIMAVR_DECODE_H

#include <simavr/sim_avr.h>

enum operation {
    UNKNOWN, /* not decoded yet */
    OTHER,   /* simavr executes it */
    NOP, MOVW, MOV, LDI,
    ADD, ADC, SUB, SBC, AND, OR, EOR, CP, CPC, CPSE,
    CPI, SBCI, SUBI, ORI, ANDI,
    COM, NEG, SWAP, INC, DEC, ASR, LSR, ROR,
    ADIW, SBIW,
    MUL, MULS, MULSU, FMUL, FMULS, FMULSU,
    LD, ST, LDS, STS,
    LPM, LPM_UP, PUSH, POP,
    RJMP, JMP, IJMP, RCALL, CALL, ICALL, RET,
    BRANCH_SET, BRANCH_CLEAR, SKIP_BIT, SKIP_IO,
    BLD, BST, FLAG_SET, FLAG_CLEAR,
    IN, OUT
};

/* A decoded word of the flash. core.c says what r and k are where they are not a register and a
 * constant. */
struct instruction {
    uint8_t operation;
    uint8_t d;
    uint8_t r;
    uint8_t words_over; /* of a skip: this one and the one skipped */
    uint32_t k;
};

/* The word of the flash with this number. */
uint16_t decode_word(const avr_t *avr, uint32_t word);

/* Decodes the word `at` of a flash of so many words. */
void decode(const avr_t *avr, struct instruction *in, uint32_t at, uint32_t words);

#endif
