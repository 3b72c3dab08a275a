/*
 * Counts the tips of a tipping-bucket rain gauge since its installation. The total in the EEPROM
 * survives power cuts.
 */
#ifndef SELO_STATION_GAUGE_H
#define SELO_STATION_GAUGE_H

#include <stdint.h>

/* Reads the total. */
void selo_gauge_begin(void);

/* Reports that the contact closed at that time. Call it from the interrupt. Returns 1 if this is a
 * tip; selo_gauge_byte then has bytes to store. */
uint8_t selo_gauge_edge(uint32_t milliseconds);

/* Gives the next byte to program, after the one before is programmed. Returns 0 if there is none.
 * Call it with interrupts off, or from one. */
uint8_t selo_gauge_byte(uint16_t *address, uint8_t *value);

/* Returns 1 if a tip is not yet in the EEPROM. Interrupts must be off. */
uint8_t selo_gauge_is_storing(void);

/* Returns the number of tips in the EEPROM. Interrupts must be off. */
uint32_t selo_gauge_total(void);

#endif
