/*
 * Selo simavr runner: a DS3231 clock on the chip's two-wire bus.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_DS3231_H
#define SELO_SIMAVR_DS3231_H

#include <simavr/sim_avr.h>

/* Puts a clock on the bus. Its time is `seconds` since 1970; 0 means that it has been without
 * power. It advances with the chip's cycles. It has its own battery, so a reset of the chip does
 * not change it. */
void ds3231_open(avr_t *avr, uint64_t seconds);

/* Returns 1 if there is a clock. */
int ds3231_is_there(void);

/* Sets the clock's temperature in hundredths of a degree; its steps are a quarter of a degree. */
void ds3231_set_temperature(int32_t centidegrees);

#endif
