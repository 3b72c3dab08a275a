/*
 * Ports without an operating system: the heap, and the message of a fault or of a program that
 * aborts. The footprint programs include it too.
 */
#include "core.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Heap -------------------------------------------------------------------------- */

/* Defined by the linker: the first address above the variables, and the end of the heap. */
extern uint8_t port_heap_start[], port_heap_end[];
static uint8_t *heap_top = port_heap_start;
uint32_t port_heap_refused;

/* newlib uses the first name, picolibc the second. */
void *_sbrk(ptrdiff_t bytes);
void *sbrk(ptrdiff_t bytes);

void *_sbrk(ptrdiff_t bytes)
{
    uint8_t *before = heap_top;
    if (bytes > port_heap_end - before || bytes < port_heap_start - before) {
        port_heap_refused = 1;
        errno = ENOMEM;
        return (void *)-1;
    }
    heap_top += bytes;
    return before;
}

void *sbrk(ptrdiff_t bytes)
{
    return _sbrk(bytes);
}

size_t port_heap_bytes(void)
{
    return (size_t)(heap_top - port_heap_start);
}

/* ---- Faults ------------------------------------------------------------------------ */

static char *put_text(char *to, const char *text)
{
    while (*text != '\0')
        *to++ = *text++;
    return to;
}

static char *put_address(char *to, uintptr_t value)
{
    to = put_text(to, "0x");
    for (int shift = 8 * (int)sizeof value - 4; shift >= 0; shift -= 4)
        *to++ = "0123456789abcdef"[(value >> shift) & 15];
    return to;
}

void core_fault(const char *kind, uintptr_t pc, uintptr_t address)
{
    static char line[96];
    char *at = put_text(put_text(line, "fault kind="), kind);
    at = put_address(put_text(at, " pc="), pc);
    at = put_address(put_text(at, " address="), address);
    *at++ = '\n';
    core_say(line, (size_t)(at - line));
    core_exit(3);
}

/* The end of a failed assertion of a library. A C library's own abort raises a signal, and needs a
 * process to receive it. */
_Noreturn void abort(void)
{
    core_fault("abort", (uintptr_t)__builtin_return_address(0), 0);
}
