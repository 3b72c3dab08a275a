/*
 * Selo simavr runner: the sleep modes, and the watchdog that wakes from them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_SLEEP_H
#define SELO_SIMAVR_SLEEP_H

#include <simavr/sim_avr.h>

/* `deadline` is a cycle timer that goes on in every mode, as the EEPROM does. With
 * `watchdog` the chip's watchdog interrupts: simavr's does not. */
void sleep_open(avr_t *avr, avr_cycle_timer_t deadline, int watchdog);

/* The core sleeps, with interrupts on: time passes up to the next event that this mode
 * lets through. Returns the cycles that passed; 0: nothing will happen by itself. */
avr_cycle_count_t sleep_on(void);

/* The core has been woken; cycles until it runs, if its oscillator had stopped. */
void sleep_woken(void);

/* 1 if the core is in a mode in which its timers and its UART stand still. */
int sleep_is_deep(void);

/* 1 if the next event will come by itself, other than `deadline`. */
int sleep_ends(void);

/* Cycles in which the core slept since the start: with its timers running, and with its
 * oscillator stopped. */
uint64_t sleep_light(void), sleep_deep(void);

/* After avr_reset. */
void sleep_reset(void);

#endif
