/*
 * The tips of a tipping-bucket rain gauge, counted since its installation: a total in
 * the EEPROM that survives power cuts.
 */
#ifndef SELO_STATION_GAUGE_H
#define SELO_STATION_GAUGE_H

#include <stdint.h>

/* Reads the total. */
void selo_gauge_begin(void);

/* The contact has closed, at that time; from the interrupt. 1 if it is a tip: then
 * selo_gauge_byte has something to say. */
uint8_t selo_gauge_edge(uint32_t milliseconds);

/* The next byte that is to be programmed, when the one before has been; 0 if there is
 * none. With interrupts off, or from one. */
uint8_t selo_gauge_byte(uint16_t *address, uint8_t *value);

/* 1 if a tip is not yet in the EEPROM. Interrupts must be off. */
uint8_t selo_gauge_is_storing(void);

/* Tips that are in the EEPROM. Interrupts must be off. */
uint32_t selo_gauge_total(void);

#endif
