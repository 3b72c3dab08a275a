/*
 * Native port of the agent: the marks and stack painting on a PC.
 *
 * A fast operation is repeated so that the clock can measure it. If the stack is requested, the first
 * repetition runs without a clock on painted stack, and the others are timed. Painting and checking
 * are inline and use no stack, but reading the clock does. A single repetition is timed as well; its
 * depth is then at least the stack of reading the clock.
 */
#ifndef SELO_AGENT_PORT_H
#define SELO_AGENT_PORT_H

#include <stdint.h>
#include <string.h>

#include "port_api.h"

#define PORT_NAME "native"
#define PORT_FLASH
/* With PORT_MARKS the program runs under a runner that counts instructions between marks. It runs
 * the operation once, without a clock. */
#if PORT_MARKS
#include "../bare/mark.h"
#define PORT_COUNTER_HZ 0
#define PORT_COUNTER_BITS 0
#else
#define PORT_COUNTER_HZ 1000000000
#define PORT_COUNTER_BITS 64
#endif

static inline void port_flash_read(void *to, const void *from, uint8_t size)
{
    memcpy(to, from, size);
}

/* Bytes painted below the stack pointer. The depth of a span that uses all of them is unknown. */
#define PORT_PAINT_BYTES 262136u
#define PORT_PAINT 0xC5C5C5C5C5C5C5C5u

/* A function that calls others uses nothing below its stack pointer. */
static inline __attribute__((always_inline)) uintptr_t port_stack_pointer(void)
{
    uintptr_t sp;
#if defined(__x86_64__)
    __asm__ __volatile__("mov %%rsp, %0" : "=r"(sp));
#elif defined(__aarch64__)
    __asm__ __volatile__("mov %0, sp" : "=r"(sp));
#else
    sp = (uintptr_t)__builtin_frame_address(0) - 512; /* an estimate of this function's frame */
#endif
    return sp & ~(uintptr_t)7;
}

static inline __attribute__((always_inline)) void port_paint(void)
{
    volatile uint64_t *end = (volatile uint64_t *)port_stack_pointer();
    for (volatile uint64_t *at = end - PORT_PAINT_BYTES / 8; at < end; at++)
        *at = PORT_PAINT;
}

static inline __attribute__((always_inline)) uint32_t port_painted_depth(void)
{
    volatile uint64_t *end = (volatile uint64_t *)port_stack_pointer();
    volatile uint64_t *at = end - PORT_PAINT_BYTES / 8;
    while (at < end && *at == PORT_PAINT)
        at++;
    uintptr_t depth = (uintptr_t)end - (uintptr_t)at;
    return depth == PORT_PAINT_BYTES ? PORT_STACK_UNKNOWN : (uint32_t)depth;
}

extern struct port_request port_requested;
extern uint32_t port_stack;

/* `timed` is the number of repetitions that the clock measured. */
void port_clock_start(void);
void port_clock_stop(uint16_t timed);

#define PORT_BARRIER __asm__ __volatile__("" : : : "memory")

#if PORT_MARKS

#define PORT_MEASURE(...)                                                    \
    do {                                                                     \
        if (port_requested.paint_stack)                                      \
            port_paint();                                                    \
        PORT_MARK(1);                                                        \
        __VA_ARGS__;                                                         \
        PORT_MARK(2);                                                        \
        if (port_requested.paint_stack)                                      \
            port_stack = port_painted_depth();                               \
        port_clock_stop(1);                                                  \
    } while (0)

#else

#define PORT_MEASURE(...)                                                    \
    do {                                                                     \
        uint16_t port_timed_ = port_requested.repeats;                       \
        if (port_requested.paint_stack)                                      \
            port_paint();                                                    \
        if (port_requested.paint_stack && port_timed_ > 1) {                 \
            PORT_BARRIER;                                                    \
            __VA_ARGS__;                                                     \
            PORT_BARRIER;                                                    \
            port_stack = port_painted_depth();                               \
            port_timed_--;                                                   \
        }                                                                    \
        port_clock_start();                                                  \
        uint16_t port_left_ = port_timed_;                                   \
        do {                                                                 \
            PORT_BARRIER;                                                    \
            __VA_ARGS__;                                                     \
            PORT_BARRIER;                                                    \
        } while (--port_left_ != 0);                                         \
        port_clock_stop(port_timed_);                                        \
        if (port_requested.paint_stack && port_stack == PORT_STACK_UNKNOWN)  \
            port_stack = port_painted_depth();                               \
    } while (0)

#endif

#endif
