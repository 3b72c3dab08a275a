/*
 * Text on digital pin 7, 9600 baud 8N1, timed by counting cycles, because the radio uses the UART.
 * Interrupts are off for each character, 1 ms; the UART buffers received bytes meanwhile.
 */
#include "chip.h"

#if SELO_STATION

#include "console.h"

#include <stdlib.h>
#include <util/atomic.h>

enum {
    BAUD = 9600,
    BITS = 10,
    LOOP_CYCLES = 12, /* cycles around the delay, as compiled */
    NUMBER_CHARACTERS = 11
};

static void put(uint8_t byte)
{
    /* Sends the start bit, the data with the low bit first, and the stop bit. */
    uint16_t bits = (uint16_t)((uint16_t)byte << 1 | 1U << (BITS - 1));
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        for (uint8_t i = 0; i < BITS; i++) {
            if (bits & 1)
                PORTD |= _BV(PORTD7);
            else
                PORTD &= (uint8_t)~_BV(PORTD7);
            bits >>= 1;
            __builtin_avr_delay_cycles(F_CPU / BAUD - LOOP_CYCLES);
        }
    }
}

/* Not inlined: the digits would stay on the stack below every call of its callers. */
__attribute__((noinline)) void selo_console_say(const char *text, uint32_t number, uint8_t base, uint8_t digits)
{
    char figures[NUMBER_CHARACTERS];
    uint8_t count = 0;
    for (uint8_t c; (c = pgm_read_byte(text)) != 0; text++)
        put(c);
    if (base != 0) {
        ultoa(number, figures, base);
        while (figures[count] != 0)
            count++;
        for (; digits > count; digits--)
            put('0');
        for (uint8_t i = 0; i < count; i++)
            put((uint8_t)figures[i]);
    }
    put('\r');
    put('\n');
}

#endif
