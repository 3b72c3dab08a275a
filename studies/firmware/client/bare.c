/* The client without an operating system, in an emulator. The connection is the emulator's standard
 * input and output. Files and lines use the emulator's calls (lab/firmware/ports/bare/core.h). */
#if !defined(__linux__)
#include "port.h"

#include "core.h"

#define PAINT 0xC5C5C5C5u

size_t port_load(const char *name, void *to, size_t size)
{
    return core_load(name, to, size);
}

size_t port_receive(void *to, size_t size)
{
    return core_read(to, size);
}

size_t port_send(const void *from, size_t size)
{
    core_write(from, size);
    return size;
}

void port_say(const char *line, size_t size)
{
    core_say(line, size);
}

uint64_t port_wall(void)
{
    return 0;
}

uint64_t port_processor(void)
{
    return 0;
}

/* The painted stack begins below this function's frame. The memory above counts as used. */
size_t port_on_painted_stack(void (*function)(void))
{
    volatile uint32_t *low = (volatile uint32_t *)(uintptr_t)core_stack_low;
    uint32_t *end = (uint32_t *)((uintptr_t)__builtin_frame_address(0) - 128u);
    for (volatile uint32_t *at = low; at < end; at++)
        *at = PAINT;
    function();
    volatile uint32_t *at = low;
    while (at < end && *at == PAINT)
        at++;
    return (size_t)((uintptr_t)core_stack_top - (uintptr_t)at);
}
#endif
