/*
 * Ports without an operating system: the UART over the emulator's host calls, and the results of a
 * span.
 */
#include "agent.h"

struct port_request port_requested;
uint32_t port_stack;

/* ---- UART ------------------------------------------------------------------------ */

enum { BUFFER_BYTES = 256 };

uint8_t port_read(void)
{
    static uint8_t buffer[BUFFER_BYTES];
    static size_t at, count;
    if (at == count) {
        PORT_MARK(3);
        count = core_read(buffer, sizeof buffer);
        if (count == 0)
            core_exit(0); /* the host has closed its end */
        at = 0;
    }
    return buffer[at++];
}

void port_write(uint8_t byte)
{
    static uint8_t buffer[BUFFER_BYTES];
    static size_t count;
    buffer[count++] = byte;
    if (byte != 0 && count < sizeof buffer)
        return;
    core_write(buffer, count);
    count = 0;
}

/* ---- Span -------------------------------------------------------------------------- */

void port_prepare(const struct port_request *request)
{
    port_requested = *request;
    port_stack = PORT_STACK_UNKNOWN;
    port_heap_refused = 0;
}

void port_finish(struct port_result *result)
{
    size_t heap = port_heap_bytes();
    *result = (struct port_result){
        .repeats = 1,
        .heap = heap > UINT16_MAX ? UINT16_MAX : (uint16_t)heap,
        .counter_flags = port_heap_refused ? PORT_HEAP_REFUSED : 0,
    };
    port_result_stack(result, port_stack);
}

int main(void)
{
    agent_serve();
}
