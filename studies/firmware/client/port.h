/* The functions that the machine provides to a client: Linux (linux.c), or an emulator without an
 * operating system (bare.c). The connection is already open. The client reads from it and writes to
 * it. */
#ifndef CLIENT_PORT_H
#define CLIENT_PORT_H

#include <stddef.h>
#include <stdint.h>

/* Reads at most `size` bytes of the file `name` in the folder where the client was started. */
size_t port_load(const char *name, void *to, size_t size);

/* Return the bytes moved; 0 if the peer is gone, or nothing came for too long. */
size_t port_receive(void *to, size_t size);
size_t port_send(const void *from, size_t size);

/* Prints a line for the command that started the client. */
void port_say(const char *line, size_t size);

/* Nanoseconds of the wall clock and of the processor, from any start; 0 where there is no clock. */
uint64_t port_wall(void);
uint64_t port_processor(void);

/* Runs `function` on painted stack. Returns its deepest stack in bytes. */
size_t port_on_painted_stack(void (*function)(void));

#endif
