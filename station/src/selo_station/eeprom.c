/*
 * Bytes of the EEPROM [ATMEGA328P, 8.4 and 8.6.3]. A byte takes 3.4 ms. Between the bytes of the
 * main loop the interrupt programs the bytes of selo_outside_byte.
 */
#include "chip.h"

#if SELO_STATION

#include "eeprom.h"
#include "idle.h"
#include "outside.h"

/* Call it with interrupts off, while no byte is being programmed. */
static void program(uint16_t address, uint8_t value)
{
    EEAR = address;
    EEDR = value;
    EECR |= _BV(EEMPE); /* four cycles from the first bit to the second */
    EECR |= _BV(EEPE);
}

ISR(EE_READY_vect, ISR_BLOCK) /* the interrupt is pending as long as it is enabled */
{
    uint16_t address;
    uint8_t value;
    if (selo_outside_byte(&address, &value))
        program(address, value);
    else
        EECR &= (uint8_t)~_BV(EERIE);
}

void selo_eeprom_wake(void) { EECR |= _BV(EERIE); }

/* Returns with interrupts off. */
static void wait_until_ready(void)
{
    for (;;) {
        cli();
        if (!(EECR & _BV(EEPE)))
            return;
        EECR |= _BV(EERIE);
        selo_idle();
    }
}

uint8_t selo_eeprom_get(uint16_t address)
{
    uint8_t interrupts = SREG;
    wait_until_ready();
    EEAR = address;
    EECR |= _BV(EERE);
    uint8_t value = EEDR;
    SREG = interrupts;
    return value;
}

void selo_eeprom_put(uint16_t address, uint8_t value)
{
    if (selo_eeprom_get(address) == value)
        return;
    wait_until_ready();
    program(address, value);
    sei();
    wait_until_ready();
    sei();
}

#endif
