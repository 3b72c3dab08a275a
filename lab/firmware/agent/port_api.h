/*
 * The functions that a port provides to the agent. lab/firmware/ports/<port>/port.h includes this
 * file and adds the inline parts:
 *
 *  PORT_NAME            the name in the HELLO reply
 *  PORT_COUNTER_HZ      rate of the counter, 0 if there is none
 *  PORT_COUNTER_BITS    its width; beyond it PORT_COUNTER_WRAPPED is set
 *  PORT_FLASH           attribute of constants in flash
 *  port_flash_read()    copies such constants to RAM
 *  PORT_MEASURE(...)    runs the statement between the marks
 */
#ifndef SELO_AGENT_PORT_API_H
#define SELO_AGENT_PORT_API_H

#include <stdint.h>

/* Waits for a byte from the host; the CPU sleeps meanwhile. */
uint8_t port_read(void);

/* Sends a byte to the host. A zero ends a frame; a port with a buffer sends its buffer then. */
void port_write(uint8_t byte);

/* Flags of a result. The sample is invalid; an operation ran out of memory, on ports that detect it;
 * or the depth of the stack is in words of 4 bytes, because it does not fit 16 bits in bytes. */
enum {
    PORT_COUNTER_WRAPPED = 1,
    PORT_HEAP_REFUSED = 2,
    PORT_STACK_WORDS = 4,
    PORT_STACK_UNKNOWN = 0xFFFF
};

/* Request for the next PORT_MEASURE. */
struct port_request {
    uint16_t repeats;     /* a port that does not need it runs the statement once */
    uint8_t paint_stack;  /* measure the stack depth by painting; the time may then be invalid */
};

/* Result of the last PORT_MEASURE. */
struct port_result {
    uint64_t counter, cpu, instructions;
    uint16_t repeats, stack, heap;
    uint8_t counter_flags;
};

/* Stores a depth in bytes, a multiple of 4 or PORT_STACK_UNKNOWN, on ports whose stack may be larger
 * than 64 KB. */
static inline void port_result_stack(struct port_result *result, uint32_t depth)
{
    const uint8_t words = depth > PORT_STACK_UNKNOWN;
    result->stack = (uint16_t)(words ? depth / 4 : depth);
    result->counter_flags |= words ? PORT_STACK_WORDS : 0;
}

/* Before an operation: sets the request and clears the result. */
void port_prepare(const struct port_request *request);
void port_finish(struct port_result *result);

#endif
