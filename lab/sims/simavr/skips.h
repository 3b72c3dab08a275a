/*
 * Selo simavr runner: skips over ADIW and SBIW that simavr decodes wrongly.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_SKIPS_H
#define SELO_SIMAVR_SKIPS_H

#include <simavr/sim_avr.h>

/* Finds these skips in avr's flash and returns their number. Call it again for another image. */
uint32_t skips_find(const avr_t *avr);

/* Returns 1 if the instruction at the program counter is one of them. */
int skips_is_here(const avr_t *avr);

/* Executes the skip: advances the cycle counter and returns the next program counter. */
avr_flashaddr_t skips_execute(avr_t *avr);

#endif
