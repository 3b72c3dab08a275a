/*
 * The tips of a tipping-bucket rain gauge, counted since its installation: a total in
 * the EEPROM that survives power cuts.
 */
#ifndef NODE_GAUGE_H
#define NODE_GAUGE_H

#include <stdint.h>

/* Reads the total. */
void gauge_begin(void);

/* The contact has closed, at that time; from the interrupt. */
void gauge_edge(uint32_t milliseconds);

/* 1 if a tip is not yet in the EEPROM. */
uint8_t gauge_waiting(void);

/* Puts the tips that have come into the EEPROM. Interrupts must be on. */
void gauge_store(void);

/* Tips that are in the EEPROM. */
uint32_t gauge_total(void);

#endif
