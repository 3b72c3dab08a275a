/*
 * Selo simavr runner: a DS3231 clock on the chip's two-wire bus.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_DS3231_H
#define SELO_SIMAVR_DS3231_H

#include <simavr/sim_avr.h>

/* Puts a clock on the bus that says it is `seconds` since 1970, or, with 0, one that has
 * been without power. It goes on by the chip's cycles and has its own battery: a reset
 * of the chip leaves it alone. */
void ds3231_open(avr_t *avr, uint64_t seconds);

/* 1 if there is one. */
int ds3231_is_there(void);

/* Its temperature, in hundredths of a degree; it has steps of a quarter. */
void ds3231_set_temperature(int32_t centidegrees);

#endif
