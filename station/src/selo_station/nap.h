/*
 * Power-down: everything except the watchdog is stopped.
 */
#ifndef SELO_STATION_NAP_H
#define SELO_STATION_NAP_H

#include <stdint.h>

/* Sleeps for at most this many milliseconds, and at most a second, and advances the clock. A pin
 * change ends the sleep. Interrupts must be off before, and are on afterwards. */
void selo_nap(uint32_t milliseconds);

/* Advances the clock if the core has just been woken. For an interrupt that needs the time. */
void selo_nap_end(void);

#endif
