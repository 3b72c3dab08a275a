/*
 * Ports without an operating system, on an emulator that counts instructions: the marks and stack
 * painting. A core's folder has core.c (core.h) and a port.toml, which sets PORT_NAME.
 *
 * A mark is one NOP. Its address is in a section of the image that is not loaded: .selo.mark1 begins
 * a span, .selo.mark2 ends it, and at .selo.mark3 the agent waits for the host (mark.h). A span is
 * the code from the first NOP to the second, so an empty span is one instruction.
 */
#ifndef SELO_AGENT_PORT_H
#define SELO_AGENT_PORT_H

#include <stdint.h>
#include <string.h>

#include "core.h"
#include "mark.h"
#include "port_api.h"

#define PORT_FLASH
#define PORT_COUNTER_HZ 0
#define PORT_COUNTER_BITS 0

static inline void port_flash_read(void *to, const void *from, uint8_t size)
{
    memcpy(to, from, size);
}

/* The depth is reported in 16 bits, at most as so many words of 4 bytes. */
#define PORT_PAINT_BYTES 262136u
#define PORT_PAINT 0xC5C5C5C5u

extern struct port_request port_requested;
extern uint32_t port_stack;

/* A function that calls others uses nothing below its stack pointer. */
static inline __attribute__((always_inline)) uint32_t *port_paint_end(void)
{
    uintptr_t sp;
#if defined(__arm__)
    __asm__ __volatile__("mov %0, sp" : "=r"(sp));
#elif defined(__riscv)
    __asm__ __volatile__("mv %0, sp" : "=r"(sp));
#elif defined(__XTENSA__)
    __asm__ __volatile__("mov %0, a1" : "=r"(sp));
#else
#error "which register is the stack pointer?"
#endif
    return (uint32_t *)(sp & ~(uintptr_t)3);
}

static inline __attribute__((always_inline)) uint32_t *port_paint_start(uint32_t *end)
{
    uintptr_t room = (uintptr_t)end - (uintptr_t)core_stack_low;
    return room > PORT_PAINT_BYTES ? end - PORT_PAINT_BYTES / 4 : (uint32_t *)(uintptr_t)core_stack_low;
}

/* Inline, so that painting and checking use no stack themselves. */
static inline __attribute__((always_inline)) void port_paint(void)
{
    uint32_t *end = port_paint_end();
    for (volatile uint32_t *at = port_paint_start(end); at < end; at++)
        *at = PORT_PAINT;
}

static inline __attribute__((always_inline)) uint32_t port_painted_depth(void)
{
    uint32_t *end = port_paint_end();
    volatile uint32_t *at = port_paint_start(end);
    while (at < end && *at == PORT_PAINT)
        at++;
    uintptr_t depth = (uintptr_t)end - (uintptr_t)at;
    return depth >= PORT_PAINT_BYTES ? PORT_STACK_UNKNOWN : (uint32_t)depth;
}

/* What a core with caches executes just before a span. Without it the time of a span depends on
 * everything that ran before. */
#ifndef PORT_EMPTY_CACHES
#define PORT_EMPTY_CACHES() ((void)0)
#endif

#define PORT_MEASURE(...)                                                    \
    do {                                                                     \
        if (port_requested.paint_stack)                                      \
            port_paint();                                                    \
        PORT_EMPTY_CACHES();                                                 \
        PORT_MARK(1);                                                        \
        __VA_ARGS__;                                                         \
        PORT_MARK(2);                                                        \
        if (port_requested.paint_stack)                                      \
            port_stack = port_painted_depth();                               \
    } while (0)

#endif
