/* What a client asks of the machine: Linux (linux.c), or none of a system, in an emulator
 * (bare.c). The connection stands already: what the client reads and writes goes over it. */
#ifndef CLIENT_PORT_H
#define CLIENT_PORT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the file `name` in the folder where the client was started, at most `size`. */
size_t port_load(const char *name, void *to, size_t size);

/* Bytes moved; 0: the other end is gone, or nothing came for too long. */
size_t port_receive(void *to, size_t size);
size_t port_send(const void *from, size_t size);

/* A line for the command that started the client. */
void port_say(const char *line, size_t size);

/* Nanoseconds since whenever, of the wall and of the processor; 0 where there is no clock. */
uint64_t port_wall(void);
uint64_t port_processor(void);

/* Runs `function` on painted stack: its deepest bytes. */
size_t port_on_painted_stack(void (*function)(void));

#endif
