/*
 * Writes to UART 0. A file that includes this header defines the interrupt USART_UDRE, which only
 * turns itself off and so wakes the chip.
 */
#ifndef SELO_STATION_UART_H
#define SELO_STATION_UART_H

#include "idle.h"

#if SELO_STATION

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>

/* Sends a byte after the one before has left the buffer. Sleeps until then. */
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
