/*
 * Selo simavr runner: the simulated chip with its marks, its stack watch, its
 * memory watch and its UART.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_CHIP_H
#define SELO_SIMAVR_CHIP_H

#include "wires.h"

#include <stddef.h>
#include <stdint.h>

enum { CHIP_WIRES = 16 };

struct chip_options {
    const char *mcu;
    uint32_t frequency;
    uint64_t limit;      /* cycles from one input wait to the next, 0 for none */
    uint32_t static_end; /* first RAM address above .data and .bss, 0 if not known */
    uint32_t heap_top; /* of the variable with the first address above the heap, 0 if there is none */
    const char *eeprom;  /* file with the contents of the EEPROM, or NULL */
    struct wire wires[CHIP_WIRES];
    unsigned wire_count;
    int has_watchdog;     /* the chip's watchdog raises interrupts */
    int has_clock;        /* a DS3231 is on the bus */
    uint64_t clock_seconds; /* since 1970; 0: it has been without power */
};

/* Builds the chip and loads the image; ends the process with an error line if it cannot. */
void chip_open(const struct chip_options *options, const char *image);

/*
 * Runs until the chip waits for input, prints the spans and the idle line, and returns
 * 0. If the chip stops, prints the reason and returns -1.
 */
int chip_run(void);

/*
 * Runs for `cycles` cycles, asleep or awake, prints the paused or the idle line, and
 * returns 0. If the chip stops, prints the reason and returns -1.
 */
int chip_advance(uint64_t cycles);

/* Queues bytes for the chip's UART receiver. */
void chip_send(const uint8_t *bytes, size_t count);

/* Drives a pin from outside until the next call for that pin; a reset does not change this. */
void chip_pin(char port, uint8_t bit, uint8_t level);

/* Sets the supply voltage, the converter's reference; 5,000 at the start. */
void chip_supply(uint32_t millivolts);

void chip_set_limit(uint64_t cycles);

/* Cuts the power and restores it; the cycle counter goes on. */
void chip_reset(void);

/* Saves the EEPROM and prints the stopped line. */
void chip_stopped(const char *reason, uint32_t pc);
uint32_t chip_pc(void);

#endif
