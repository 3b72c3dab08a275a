/* The cells behind EEPROM. */
#include "EEPROM.h"

#ifdef __AVR__
#include <avr/eeprom.h>

uint8_t eeprom_get(int at) { return eeprom_read_byte((const uint8_t *)at); }
void eeprom_put(int at, uint8_t value) { eeprom_update_byte((uint8_t *)at, value); }
#else
/* Inverted, so that zeroed memory is an erased EEPROM. */
static uint8_t inverted[1024];

uint8_t eeprom_get(int at) { return (uint8_t)~inverted[(unsigned int)at % sizeof inverted]; }

void eeprom_put(int at, uint8_t value)
{
    inverted[(unsigned int)at % sizeof inverted] = (uint8_t)~value;
}
#endif
