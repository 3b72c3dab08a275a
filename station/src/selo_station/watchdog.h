/*
 * The watchdog as a clock that wakes the chip from every sleep. It has its own RC oscillator
 * [ATMEGA328P, 10.8]. It interrupts and never resets.
 */
#ifndef SELO_STATION_WATCHDOG_H
#define SELO_STATION_WATCHDOG_H

#include <stdint.h>

enum { SELO_WATCHDOG_MILLISECONDS = 16 }; /* its shortest period, at 128 kHz */

/* Starts it with a period of 16 ms << power, power 0..6. Interrupts must be off. */
void selo_watchdog_start(uint8_t power);
void selo_watchdog_stop(void);

/* Returns 1 if it has ticked since the last call or the start, and gives the value of timer 1 at the
 * tick. Interrupts must be off. */
uint8_t selo_watchdog_ticked(uint16_t *timer);

#endif
