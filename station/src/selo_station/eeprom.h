/*
 * Bytes of the EEPROM. The core sleeps while one is programmed.
 */
#ifndef SELO_STATION_EEPROM_H
#define SELO_STATION_EEPROM_H

#include <stdint.h>

uint8_t selo_eeprom_get(uint16_t address);

/* Programs the byte, unless it is that already; returns when it is done. A power cut
 * meanwhile may leave any value. Interrupts must be on. */
void selo_eeprom_put(uint16_t address, uint8_t value);

/* Asks selo_outside_byte for bytes, and programs them by and by, whatever the main loop does.
 * From an interrupt, or with interrupts off. */
void selo_eeprom_wake(void);

#endif
