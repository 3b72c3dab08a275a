/*
 * Selo simavr runner: the simulated chip with its marks, its stack watch, its
 * memory watch and its UART.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_CHIP_H
#define SELO_SIMAVR_CHIP_H

#include <stddef.h>
#include <stdint.h>

struct chip_options {
    const char *mcu;
    uint32_t frequency;
    uint64_t limit;      /* cycles from one input wait to the next, 0 for none */
    uint32_t static_end; /* first RAM address above .data and .bss, 0 if not known */
};

/* Builds the chip and loads the image; ends the process with an error line if it cannot. */
void chip_open(const struct chip_options *options, const char *image);

/*
 * Runs until the chip waits for input and returns 0, after printing the spans
 * and the idle line; or prints why the chip stopped and returns -1.
 */
int chip_run(void);

/* Queues bytes for the chip's UART receiver. */
void chip_send(const uint8_t *bytes, size_t count);

void chip_set_limit(uint64_t cycles);
void chip_reset(void);

uint32_t chip_pc(void);
uint64_t chip_cycle(void);

#endif
