/*
 * What the agent asks of a port. lab/firmware/ports/<port>/port.h includes this file
 * and adds what must be inline:
 *
 *  PORT_NAME            the name in the HELLO reply
 *  PORT_COUNTER_HZ      rate of the counter, 0 if there is none
 *  PORT_COUNTER_BITS    its width; beyond it PORT_COUNTER_WRAPPED is set
 *  PORT_FLASH           attribute of constants that live in flash
 *  port_flash_read()    copies such constants to RAM
 *  PORT_MEASURE(...)    runs the statement between the marks
 */
#ifndef SELO_AGENT_PORT_API_H
#define SELO_AGENT_PORT_API_H

#include <stdint.h>

/* Waits for a byte from the host; the CPU sleeps meanwhile. */
uint8_t port_read(void);

/* Sends a byte to the host. A zero ends a frame: a port that buffers sends its buffer then. */
void port_write(uint8_t byte);

/* Flags of a result: the sample is void; no memory was left for what an operation asked for,
 * where the port knows that. */
enum { PORT_COUNTER_WRAPPED = 1, PORT_HEAP_REFUSED = 2, PORT_STACK_UNKNOWN = 0xFFFF };

/* What to do in the next PORT_MEASURE. */
struct port_request {
    uint16_t repeats;     /* a port that has no use for it runs the statement once */
    uint8_t paint_stack;  /* find the stack depth by painting; the time may then be lost */
};

/* What the last PORT_MEASURE found. */
struct port_result {
    uint64_t counter, cpu, instructions;
    uint16_t repeats, stack, heap;
    uint8_t counter_flags;
};

/* Before an operation: sets the request and clears the result. */
void port_prepare(const struct port_request *request);
void port_finish(struct port_result *result);

#endif
