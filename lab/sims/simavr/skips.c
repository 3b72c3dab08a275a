/*
 * Selo simavr runner: skips over ADIW and SBIW that simavr decodes wrongly.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A skip must know the length of the skipped instruction. simavr 1.6 looks for LDS, STS,
 * JMP and CALL with the mask 0xfc0f. The mask also matches an ADIW or SBIW whose constant
 * ends in 12 to 15, so such a skip lands two bytes too far. gcc's signed division by 16 has
 * one (`sbrc r25, 7` before `adiw r24, 15`).
 *
 * An image without these skips runs as fast as before. For an image with one, simavr returns
 * after each instruction, and this file executes those skips.
 */
#include "skips.h"

#include <simavr/sim_io.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *is_skip; /* a byte for each word of the flash */
static uint32_t words;

static uint16_t word_at(const avr_t *avr, uint32_t word)
{
    return (uint16_t)(avr->flash[2 * word] | avr->flash[2 * word + 1] << 8);
}

static int is_any_skip(uint16_t opcode)
{
    return (opcode & 0xfc00) == 0x1000     /* CPSE */
        || (opcode & 0xfc08) == 0xfc00     /* SBRC, SBRS */
        || (opcode & 0xfd00) == 0x9900;    /* SBIC, SBIS */
}

/* ADIW or SBIW that simavr 1.6 mistakes for a JMP or a CALL. */
static int is_taken_for_longer(uint16_t opcode)
{
    return (opcode & 0xfe0c) == 0x960c;
}

uint32_t skips_find(const avr_t *avr)
{
    uint32_t found = 0;
    words = (avr->flashend + 1) / 2;
    free(is_skip);
    is_skip = calloc(words, 1);
    if (!is_skip)
        abort(); /* 16 KiB */
    for (uint32_t word = 0; word + 1 < words; word++) {
        is_skip[word] = is_any_skip(word_at(avr, word)) && is_taken_for_longer(word_at(avr, word + 1));
        found += is_skip[word];
    }
    return found;
}

int skips_is_here(const avr_t *avr)
{
    return is_skip && avr->pc / 2 < words && is_skip[avr->pc / 2];
}

static uint8_t read_io(avr_t *avr, uint16_t address)
{
    unsigned io = AVR_DATA_TO_IO(address);
    if (avr->io[io].r.c)
        avr->data[address] = avr->io[io].r.c(avr, address, avr->io[io].r.param);
    return avr->data[address];
}

/* [AVR-ISA, CPSE, SBRC, SBRS, SBIC, SBIS] */
static int skips_next(avr_t *avr, uint16_t opcode)
{
    uint8_t bit = (uint8_t)(1u << (opcode & 7));
    if ((opcode & 0xfc00) == 0x1000)
        return avr->data[(opcode >> 4) & 31] == avr->data[(opcode & 15) | (opcode >> 5 & 16)];
    uint8_t value = (opcode & 0xfc08) == 0xfc00 ? avr->data[(opcode >> 4) & 31]
                                                : read_io(avr, (uint16_t)((opcode >> 3 & 31) + 32));
    int wanted = opcode >> 9 & 1; /* SBRS and SBIS skip if the bit is set */
    return ((value & bit) != 0) == wanted;
}

avr_flashaddr_t skips_execute(avr_t *avr)
{
    int skip = skips_next(avr, word_at(avr, avr->pc / 2));
    avr->cycle += skip ? 2 : 1;
    return avr->pc + (skip ? 4 : 2);
}
