/*
 * Reads and writes bytes of the EEPROM. The core sleeps while one is programmed.
 */
#ifndef SELO_STATION_EEPROM_H
#define SELO_STATION_EEPROM_H

#include <stdint.h>

uint8_t selo_eeprom_get(uint16_t address);

/* Programs the byte, unless it has that value already, and returns when it is done. After a power
 * cut meanwhile the byte may have any value. Interrupts must be on. */
void selo_eeprom_put(uint16_t address, uint8_t value);

/* Gets bytes from selo_outside_byte and programs them in the background. Call it from an interrupt,
 * or with interrupts off. */
void selo_eeprom_wake(void);

#endif
