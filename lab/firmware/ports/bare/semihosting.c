/*
 * Console and exit of a bare port by semihosting, which Arm defined and RISC-V adopted: one trap, an
 * operation, the address of its arguments. The core defines the trap (core_host).
 */
#include "core.h"

enum { SYS_OPEN = 1, SYS_CLOSE = 2, SYS_WRITE = 5, SYS_READ = 6, SYS_EXIT_EXTENDED = 0x20 };
enum { OPEN_READ = 0, OPEN_WRITE = 4, OPEN_APPEND = 8 }; /* handles of ":tt": input, output, errors */
enum { APPLICATION_EXIT = 0x20026 };

static intptr_t open_console(intptr_t mode)
{
    const struct { const char *name; intptr_t mode, length; } arguments = {":tt", mode, 3};
    return core_host(SYS_OPEN, &arguments);
}

/* Returns the number of bytes not moved. */
static size_t move(intptr_t operation, intptr_t mode, intptr_t *file, const void *bytes, size_t size)
{
    if (*file == 0)
        *file = open_console(mode);
    const struct { intptr_t file; const void *bytes; size_t size; } arguments = {*file, bytes, size};
    return (size_t)core_host(operation, &arguments);
}

size_t core_read(void *to, size_t size)
{
    static intptr_t file;
    size_t left = move(SYS_READ, OPEN_READ, &file, to, size);
    return left > size ? 0 : size - left;
}

void core_write(const void *from, size_t size)
{
    static intptr_t file;
    move(SYS_WRITE, OPEN_WRITE, &file, from, size);
}

void core_say(const char *text, size_t size)
{
    static intptr_t file;
    move(SYS_WRITE, OPEN_APPEND, &file, text, size);
}

size_t core_load(const char *name, void *to, size_t size)
{
    size_t length = 0;
    while (name[length] != '\0')
        length++;
    const struct { const char *name; intptr_t mode, length; } opening = {name, 1, (intptr_t)length};
    intptr_t file = core_host(SYS_OPEN, &opening); /* mode 1: to read bytes */
    if (file == -1)
        return 0;
    const struct { intptr_t file; void *to; size_t size; } reading = {file, to, size};
    size_t left = (size_t)core_host(SYS_READ, &reading);
    core_host(SYS_CLOSE, &file);
    return left > size ? 0 : size - left;
}

void core_exit(uint8_t status)
{
    const struct { intptr_t reason, status; } arguments = {APPLICATION_EXIT, status};
    for (;;)
        core_host(SYS_EXIT_EXTENDED, &arguments);
}
