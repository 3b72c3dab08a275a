/*
 * Selo simavr runner: interrupts by a low level of INT0 and INT1.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_LEVELS_H
#define SELO_SIMAVR_LEVELS_H

#include <simavr/sim_avr.h>

/* Call it once for a chip, before it runs. */
void levels_open(avr_t *avr);

/* Call it after every reset of the chip. */
void levels_reset(void);

#endif
