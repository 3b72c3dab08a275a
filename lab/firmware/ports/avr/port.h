/*
 * AVR port of the agent: the marks and the constants in flash.
 *
 * A mark is an OUT to GPIOR0, a register that no peripheral uses. The runner watches it. An LDI in
 * the same asm statement loads its value, so the compiler cannot move the LDI across the mark. An
 * empty span therefore always takes two cycles: the first OUT and the second LDI.
 */
#ifndef SELO_AGENT_PORT_H
#define SELO_AGENT_PORT_H

#include <avr/io.h>
#include <avr/pgmspace.h>

#include "port_api.h"

#define PORT_NAME "avr"
/* What PROGMEM is in avr-libc. A survey empties that macro to see whether a library's tables are the
   cause of wrong outputs. */
#define PORT_FLASH __attribute__((__progmem__))

/* Timer 1 counts during the span. A longer span needs a slower clock: 1, 8, 64, 256 or 1024 CPU
 * cycles for each tick. */
#ifndef PORT_TIMER_DIVIDER
#define PORT_TIMER_DIVIDER 1
#endif
/* With PORT_TRIGGER, a bit of port B, that pin is high during the span and for some cycles around
 * it, for a power meter. The timer does not count these cycles. */
#define PORT_COUNTER_HZ (F_CPU / PORT_TIMER_DIVIDER)
#define PORT_COUNTER_BITS 16

static inline void port_flash_read(void *to, const void *from, uint8_t size)
{
    memcpy_P(to, from, size);
}

#define PORT_MARK(value)                                                     \
    do {                                                                     \
        uint8_t port_mark_;                                                  \
        __asm__ __volatile__("ldi %0, %2\n\tout %1, %0"                      \
                             : "=d"(port_mark_)                              \
                             : "I"(_SFR_IO_ADDR(GPIOR0)), "M"(value)         \
                             : "memory");                                    \
    } while (0)

/* Before the span: paints the stack if requested, and starts the timer. After it: the reverse.
 * Interrupts are off unless the agent waits for the host. `sp` is the stack pointer at the marks. */
void port_span_open(uint16_t sp);
void port_span_close(void);

/* The counter runs between the marks only. */
#define PORT_IN_SPAN (TCCR1B != 0)

#define PORT_MEASURE(...)                                                    \
    do {                                                                     \
        port_span_open(SP);                                                  \
        PORT_MARK(1);                                                        \
        __VA_ARGS__;                                                         \
        PORT_MARK(2);                                                        \
        port_span_close();                                                   \
    } while (0)

#endif
