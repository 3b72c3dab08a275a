/*
 * Port of a library that a program loads. Operations are called without an agent, and the caller
 * measures the time.
 */
#ifndef SELO_AGENT_PORT_H
#define SELO_AGENT_PORT_H

#include <stdint.h>
#include <string.h>

#include "port_api.h"

#define PORT_NAME "loadable"
#define PORT_FLASH
#define PORT_COUNTER_HZ 0
#define PORT_COUNTER_BITS 0

static inline void port_flash_read(void *to, const void *from, uint8_t size)
{
    memcpy(to, from, size);
}

#define PORT_MEASURE(...) do { __VA_ARGS__; } while (0)

#endif
