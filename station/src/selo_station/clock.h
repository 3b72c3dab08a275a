/*
 * Milliseconds since the start, from timer 0. The value wraps after 49 days, as struct selo_hal
 * allows.
 */
#ifndef SELO_STATION_CLOCK_H
#define SELO_STATION_CLOCK_H

#include <stdint.h>

/* Starts the timer; interrupts may be off or on. */
void selo_clock_begin(void);

uint32_t selo_clock_milliseconds(void *unused);

/* Adds the milliseconds during which the timer was stopped. */
void selo_clock_slept(uint16_t slept);

#endif
