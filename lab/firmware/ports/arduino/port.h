/*
 * Arduino port of the agent, for any board with an Arduino core. It uses the core's clock and serial
 * line.
 *
 * Interrupts stay on, because cores need them. Figures are therefore wall-clock times, and the host
 * takes many. A fast operation is repeated so that the clock can measure it.
 */
#ifndef SELO_AGENT_PORT_H
#define SELO_AGENT_PORT_H

#include <stdint.h>
#include <string.h>
#if defined(__AVR__)
#include <avr/pgmspace.h>
#elif defined(ARDUINO_ARCH_ESP8266)
#include <pgmspace.h>
#endif

#include "port_api.h"

#define PORT_NAME "arduino"

/* Espressif's cores count processor cycles in 32 bits. Every other core has the microseconds of
 * micros(), which may advance in steps of 4. */
#if defined(ARDUINO_ARCH_ESP32) || defined(ARDUINO_ARCH_ESP8266)
#define PORT_COUNTS_CYCLES 1
#define PORT_COUNTER_HZ F_CPU
#else
#define PORT_COUNTS_CYCLES 0
#define PORT_COUNTER_HZ 1000000
#endif
#define PORT_COUNTER_BITS 32

#if defined(__AVR__) || defined(ARDUINO_ARCH_ESP8266)
#define PORT_FLASH PROGMEM
static inline void port_flash_read(void *to, const void *from, uint8_t size)
{
    memcpy_P(to, from, size);
}
#else
#define PORT_FLASH
static inline void port_flash_read(void *to, const void *from, uint8_t size)
{
    memcpy(to, from, size);
}
#endif

extern struct port_request port_requested;

void port_clock_start(void);
void port_clock_stop(void);

#define PORT_BARRIER __asm__ __volatile__("" : : : "memory")

#define PORT_MEASURE(...)                                                    \
    do {                                                                     \
        uint16_t port_left_ = port_requested.repeats;                        \
        port_clock_start();                                                  \
        do {                                                                 \
            PORT_BARRIER;                                                    \
            __VA_ARGS__;                                                     \
            PORT_BARRIER;                                                    \
        } while (--port_left_ != 0);                                         \
        port_clock_stop();                                                   \
    } while (0)

#endif
