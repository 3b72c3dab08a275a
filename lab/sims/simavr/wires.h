/*
 * Selo simavr runner: pins that the program drives and the host watches.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_WIRES_H
#define SELO_SIMAVR_WIRES_H

#include <simavr/sim_avr.h>

struct wire {
    char port;
    uint8_t bit;
    uint32_t baud; /* of text on it; 0: its level is of interest */
};

/* Prints a line at each change of the pin, or its text. Returns -1 if the chip has no such pin. */
int wires_open(avr_t *avr, const struct wire *wire);

/* Evaluates the text up to now. */
void wires_settle(void);

#endif
