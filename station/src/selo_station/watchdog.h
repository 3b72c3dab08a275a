/*
 * The watchdog as a clock that wakes from every sleep, by an RC oscillator of its own
 * [ATMEGA328P, 10.8]. It interrupts and never resets.
 */
#ifndef SELO_STATION_WATCHDOG_H
#define SELO_STATION_WATCHDOG_H

#include <stdint.h>

enum { SELO_WATCHDOG_MILLISECONDS = 16 }; /* its shortest period, at 128 kHz */

/* From now on, every 16 ms << power; 0..6. Interrupts must be off. */
void selo_watchdog_start(uint8_t power);
void selo_watchdog_stop(void);

/* 1 if it has ticked since this was asked last or it was started, and where timer 1 was
 * then. Interrupts must be off. */
uint8_t selo_watchdog_ticked(uint16_t *timer);

#endif
