/*
 * Power-down, with everything but the watchdog standing still.
 */
#ifndef SELO_STATION_NAP_H
#define SELO_STATION_NAP_H

#include <stdint.h>

/* Sleeps for at most so many milliseconds, or a second, and moves the clock on; a pin change
 * ends it. Interrupts must be off, and are on when it returns. */
void selo_nap(uint32_t milliseconds);

/* Moves the clock on, if the core has just been woken: from an interrupt that wants to know
 * the time. */
void selo_nap_end(void);

#endif
