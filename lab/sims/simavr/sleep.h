/*
 * Selo simavr runner: the sleep modes, and the watchdog that wakes from them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_SLEEP_H
#define SELO_SIMAVR_SLEEP_H

#include <simavr/sim_avr.h>

/* `deadline` is a cycle timer that goes on in every mode, like the EEPROM's. With `watchdog`
 * the chip's watchdog raises interrupts, which simavr's does not. */
void sleep_open(avr_t *avr, avr_cycle_timer_t deadline, int watchdog);

/* Call it while the core sleeps with interrupts on. Time passes up to the next event that can
 * happen in this mode. Returns the cycles passed; 0 means that nothing will happen by itself. */
avr_cycle_count_t sleep_on(void);

/* Call it when the core has been woken. If its oscillator had stopped, the start-up time passes. */
void sleep_woken(void);

/* Returns 1 if the core is in a mode that stops its timers and its UART. */
int sleep_is_deep(void);

/* Returns 1 if an event other than `deadline` will come by itself. */
int sleep_ends(void);

/* Cycles slept since the start: with the timers running, and with the oscillator stopped. */
uint64_t sleep_light(void), sleep_deep(void);

/* Call it after avr_reset. */
void sleep_reset(void);

#endif
