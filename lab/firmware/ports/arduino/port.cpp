// Arduino port of the agent: the sketch's serial line to the host, and the span's clock.
//
// It does not measure the stack, because the memory below it belongs to the core.

#include <Arduino.h>

#include "agent.h"

extern "C" [[noreturn]] void agent_serve(void);

#ifndef PORT_BAUD
#define PORT_BAUD 115200
#endif

struct port_request port_requested;

static uint32_t begun, begun_ms, counter;
static uint8_t counter_flags;

static inline uint32_t now()
{
#if PORT_COUNTS_CYCLES
    return ESP.getCycleCount();
#else
    return micros();
#endif
}

uint8_t port_read(void)
{
    while (Serial.available() <= 0)
        yield(); // let other tasks of the core, and its watchdog, run
    return static_cast<uint8_t>(Serial.read());
}

void port_write(uint8_t byte)
{
    Serial.write(byte);
}

void port_prepare(const struct port_request *request)
{
    port_requested = *request;
    counter = 0;
    counter_flags = 0;
}

void port_clock_start(void)
{
    begun_ms = millis();
    begun = now();
}

void port_clock_stop(void)
{
    counter = now() - begun;
    // True if less time passed, by the millisecond clock, than the counter needs to wrap.
    const uint32_t around_ms = UINT32_MAX / (PORT_COUNTER_HZ / 1000);
    counter_flags = millis() - begun_ms >= around_ms - 1 ? PORT_COUNTER_WRAPPED : 0;
}

void port_finish(struct port_result *result)
{
    result->counter = counter;
    result->counter_flags = counter_flags;
    result->cpu = 0;
    result->instructions = 0;
    result->repeats = port_requested.repeats;
    result->stack = PORT_STACK_UNKNOWN;
    result->heap = 0;
}

void setup()
{
    Serial.begin(PORT_BAUD);
}

void loop()
{
    agent_serve();
}
