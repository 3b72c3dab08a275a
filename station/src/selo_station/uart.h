/*
 * Writing to UART 0. Whoever includes this has the interrupt USART_UDRE, which does nothing
 * but switch itself off: it wakes the chip.
 */
#ifndef SELO_STATION_UART_H
#define SELO_STATION_UART_H

#include "idle.h"

#if SELO_STATION

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>

/* Sends a byte when the one before has left the buffer; asleep until then. */
static inline void selo_uart_write(uint8_t byte)
{
    for (;;) {
        cli();
        if (UCSR0A & _BV(UDRE0))
            break;
        UCSR0B |= _BV(UDRIE0);
        selo_idle();
    }
    sei();
    UDR0 = byte;
}

#endif

#endif
