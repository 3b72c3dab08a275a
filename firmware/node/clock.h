/*
 * Milliseconds since the start, from timer 0. Wraps after 49 days, as
 * struct selo_hal wants it.
 */
#ifndef NODE_CLOCK_H
#define NODE_CLOCK_H

#include <stdint.h>

/* Starts the timer; interrupts may be off or on. */
void clock_begin(void);

uint32_t clock_milliseconds(void *unused);

/* So many milliseconds have passed while the timer stood still. */
void clock_slept(uint16_t slept);

#endif
