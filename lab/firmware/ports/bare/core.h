/*
 * What the ports without an operating system ask of their core (core.c of
 * lab/firmware/ports/<core>/). Bytes go to and from the host by the emulator's own
 * calls, semihosting or what the core has in its place: no UART is modelled, so no
 * emulated board needs to have one.
 */
#ifndef SELO_AGENT_CORE_H
#define SELO_AGENT_CORE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes from the host: waits for one, takes what is there; 0: the host is gone. */
size_t core_read(void *to, size_t size);

/* Bytes to the host; and text to where the runner looks for last words. */
void core_write(const void *from, size_t size);
void core_say(const char *text, size_t size);

/* Bytes of the host's file `name`, below the folder where the emulator was started, at most
 * `size`; 0 if there is none. */
size_t core_load(const char *name, void *to, size_t size);

/* Ends the emulation. */
_Noreturn void core_exit(uint8_t status);

/* Says "fault kind=K pc=P address=A" and ends the emulation. */
_Noreturn void core_fault(const char *kind, uintptr_t pc, uintptr_t address);

/* One operation of the host by semihosting, on cores that have it (semihosting.c): its
 * number and the address of its arguments. */
intptr_t core_host(intptr_t operation, const void *arguments);

/* The linker's: the stack grows from the first down to the second. */
extern uint8_t core_stack_top[], core_stack_low[];

/* What of the heap has been asked for, in bytes; and 1 once more was than there is (support.c). */
size_t port_heap_bytes(void);
extern uint32_t port_heap_refused;

#endif
