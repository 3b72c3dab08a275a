/* The client on Linux: the connection is its standard input and output. */
#if defined(__linux__)
#include "port.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 256 << 10, PAINT = 0xa5 };

size_t port_load(const char *name, void *to, size_t size)
{
    FILE *file = fopen(name, "rb");
    size_t got = file == NULL ? 0 : fread(to, 1, size, file);
    if (file != NULL)
        fclose(file);
    return got;
}

size_t port_receive(void *to, size_t size)
{
    ssize_t got = read(STDIN_FILENO, to, size);
    return got < 0 ? 0 : (size_t)got;
}

size_t port_send(const void *from, size_t size)
{
    ssize_t put = write(STDOUT_FILENO, from, size);
    return put < 0 ? 0 : (size_t)put;
}

void port_say(const char *line, size_t size)
{
    if (write(STDERR_FILENO, line, size) < 0)
        exit(1);
}

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t port_wall(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

uint64_t port_processor(void)
{
    return nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

static void *call(void *function)
{
    (*(void (**)(void))function)();
    return NULL;
}

size_t port_on_painted_stack(void (*function)(void))
{
    static unsigned char stack[STACK_BYTES] __attribute__((aligned(4096)));
    pthread_attr_t attributes;
    pthread_t thread;
    size_t untouched = 0;
    memset(stack, PAINT, sizeof stack);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, sizeof stack);
    if (pthread_create(&thread, &attributes, call, &function) != 0)
        exit(4);
    pthread_join(thread, NULL);
    while (untouched < sizeof stack && stack[untouched] == PAINT)
        untouched++;
    return sizeof stack - untouched;
}
#endif
