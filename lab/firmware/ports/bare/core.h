/*
 * The functions that a core (core.c of lab/firmware/ports/<core>/) provides to the ports without an
 * operating system. Bytes go to and from the host by the emulator's own calls, semihosting or the
 * core's equivalent. No UART is modelled, so an emulated board does not need one.
 */
#ifndef SELO_AGENT_CORE_H
#define SELO_AGENT_CORE_H

#include <stddef.h>
#include <stdint.h>

/* Waits for bytes from the host and reads those that are there. Returns 0 if the host is gone. */
size_t core_read(void *to, size_t size);

/* Sends bytes to the host, and text to the runner's error output. */
void core_write(const void *from, size_t size);
void core_say(const char *text, size_t size);

/* Reads at most `size` bytes of the host's file `name`, below the folder where the emulator was
 * started. Returns 0 if there is no such file. */
size_t core_load(const char *name, void *to, size_t size);

/* Ends the emulation. */
_Noreturn void core_exit(uint8_t status);

/* Prints "fault kind=K pc=P address=A" and ends the emulation. */
_Noreturn void core_fault(const char *kind, uintptr_t pc, uintptr_t address);

/* Performs one operation of the host by semihosting, on cores that have it (semihosting.c). Takes
 * its number and the address of its arguments. */
intptr_t core_host(intptr_t operation, const void *arguments);

/* Defined by the linker: the stack grows from the first down to the second. */
extern uint8_t core_stack_top[], core_stack_low[];

/* Bytes of the heap in use; and 1 after a request that exceeded it (support.c). */
size_t port_heap_bytes(void);
extern uint32_t port_heap_refused;

#endif
