/*
 * Bytes of the EEPROM [ATMEGA328P, 8.4 and 8.6.3]. A byte takes 3.4 ms.
 */
#include "eeprom.h"
#include "idle.h"

#include <avr/io.h>

ISR(EE_READY_vect) { EECR &= (uint8_t)~_BV(EERIE); /* it stands as long as it is enabled */ }

static void wait_until_ready(void)
{
    for (;;) {
        cli();
        if (!(EECR & _BV(EEPE)))
            break;
        EECR |= _BV(EERIE);
        idle();
    }
    sei();
}

uint8_t eeprom_get(uint16_t address)
{
    EEAR = address;
    EECR |= _BV(EERE);
    return EEDR;
}

void eeprom_put(uint16_t address, uint8_t value)
{
    if (eeprom_get(address) == value)
        return;
    EEDR = value;
    cli(); /* four cycles from the first bit to the second */
    EECR |= _BV(EEMPE);
    EECR |= _BV(EEPE);
    sei();
    wait_until_ready();
}
