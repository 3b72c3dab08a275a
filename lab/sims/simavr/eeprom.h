/*
 * Selo simavr runner: the chip's EEPROM with its programming time, and the file that
 * stores its contents.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_EEPROM_H
#define SELO_SIMAVR_EEPROM_H

#include <simavr/sim_avr.h>

/* Replaces simavr's model by this one. With a path, loads the contents from that file; if the
 * file does not exist, the EEPROM is erased. Ends the process with an error line if the file
 * cannot be read or its size differs from the EEPROM's. */
void eeprom_open(avr_t *avr, const char *path);

/* Writes the file, if there is one, with the contents that a power cut would leave now. The
 * file is replaced atomically. */
void eeprom_save(void);

/* Returns 1 for events of programming, which continues while the core sleeps. */
int eeprom_is_timer(avr_cycle_timer_t timer);

/* Returns 1 if there is a file. */
int eeprom_has_file(void);

/* Cuts the power: a byte that is being programmed is damaged. Call it before avr_reset. */
void eeprom_cut(void);

#endif
