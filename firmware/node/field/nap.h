/*
 * Power-down, with everything but the watchdog standing still.
 */
#ifndef NODE_NAP_H
#define NODE_NAP_H

#include <stdint.h>

/* Sleeps for at most so many milliseconds, or a second, and moves the clock on; a pin change
 * ends it. Interrupts must be off, and are on when it returns. */
void nap(uint32_t milliseconds);

/* Moves the clock on, if the core has just been woken: from an interrupt that wants to know
 * the time. */
void nap_end(void);

#endif
