/*
 * Bytes of the EEPROM. The core sleeps while one is programmed.
 */
#ifndef NODE_EEPROM_H
#define NODE_EEPROM_H

#include <stdint.h>

uint8_t eeprom_get(uint16_t address);

/* Programs the byte, unless it is that already; returns when it is done. A power cut
 * meanwhile may leave any value. Interrupts must be on. */
void eeprom_put(uint16_t address, uint8_t value);

/* Asks outside_byte for bytes, and programs them by and by, whatever the main loop does.
 * From an interrupt, or with interrupts off. */
void eeprom_wake(void);

#endif
