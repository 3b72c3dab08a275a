/*
 * Selo simavr runner: the chip's EEPROM, with the time that programming takes,
 * and the file that keeps it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_EEPROM_H
#define SELO_SIMAVR_EEPROM_H

#include <simavr/sim_avr.h>

/* Puts this model in the place of simavr's. With a path the contents are loaded
 * from that file (absent: erased); ends the process with an error line if it
 * cannot be read or has another size than the EEPROM. */
void eeprom_open(avr_t *avr, const char *path);

/* Writes the file, if there is one: as a chip whose power is cut now would hold
 * it. The file is replaced at once or not at all. */
void eeprom_save(void);

/* 1 for the events of programming, which goes on while the core sleeps. */
int eeprom_is_timer(avr_cycle_timer_t timer);

/* 1 if there is a file. */
int eeprom_has_file(void);

/* The power is cut: a byte that is being programmed is torn. Before avr_reset. */
void eeprom_cut(void);

#endif
