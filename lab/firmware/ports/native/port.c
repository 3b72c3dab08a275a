/*
 * Native port of the agent: standard input and output as the UART, the clocks, and the instruction
 * counter where the kernel offers one.
 *
 * The agent runs in a thread with its own stack, so the size of the stack is known, and the CPU time
 * of the thread is that of the agent.
 */
#define _GNU_SOURCE /* perf_event_open by syscall, thread clocks */
#include "agent.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#endif

enum { STACK_BYTES = 1 << 21, BUFFER_BYTES = 4096 };

static uint8_t stack_memory[STACK_BYTES] __attribute__((aligned(4096)));

/* ---- UART ---------------------------------------------------------------------- */

uint8_t port_read(void)
{
    static uint8_t buffer[BUFFER_BYTES];
    static size_t at, count;
    if (at == count) {
#if PORT_MARKS
        PORT_MARK(3);
#endif
        ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
        if (got <= 0)
            exit(got == 0 ? 0 : 1); /* the host has closed its end */
        at = 0;
        count = (size_t)got;
    }
    return buffer[at++];
}

void port_write(uint8_t byte)
{
    static uint8_t buffer[BUFFER_BYTES];
    static size_t count;
    buffer[count++] = byte;
    if (byte != 0 && count < sizeof buffer)
        return;
    for (size_t at = 0; at < count;) {
        ssize_t put = write(STDOUT_FILENO, buffer + at, count - at);
        if (put <= 0)
            exit(1);
        at += (size_t)put;
    }
    count = 0;
}

/* ---- Instruction counter ----------------------------------------------------------- */

static int counter_file = -1;

static void counter_open(void)
{
#ifdef __linux__
    struct perf_event_attr event = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof event,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    counter_file = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
#endif
}

static void counter_start(void)
{
#ifdef __linux__
    if (counter_file >= 0) {
        ioctl(counter_file, PERF_EVENT_IOC_RESET, 0);
        ioctl(counter_file, PERF_EVENT_IOC_ENABLE, 0);
    }
#endif
}

/* Returns the instructions since counter_start, or 0 if the machine does not count them. */
static uint64_t counter_stop(void)
{
    uint64_t instructions = 0;
#ifdef __linux__
    if (counter_file >= 0) {
        ioctl(counter_file, PERF_EVENT_IOC_DISABLE, 0);
        if (read(counter_file, &instructions, sizeof instructions) != sizeof instructions)
            instructions = 0;
    }
#endif
    return instructions;
}

/* ---- Span ----------------------------------------------------------------------- */

struct port_request port_requested;
uint32_t port_stack;
static struct port_result found;
static struct timespec wall_start, cpu_start;

static uint64_t nanoseconds_since(clockid_t clock, const struct timespec *start)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)((now.tv_sec - start->tv_sec) * INT64_C(1000000000)
                      + (now.tv_nsec - start->tv_nsec));
}

void port_prepare(const struct port_request *request)
{
    port_requested = *request;
    port_stack = PORT_STACK_UNKNOWN;
    found = (struct port_result){0};
}

void port_clock_start(void)
{
    counter_start();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu_start);
    clock_gettime(CLOCK_MONOTONIC, &wall_start);
}

void port_clock_stop(uint16_t timed)
{
    found.repeats = timed;
    if (PORT_COUNTER_HZ == 0)
        return;
    found.counter = nanoseconds_since(CLOCK_MONOTONIC, &wall_start);
    found.cpu = nanoseconds_since(CLOCK_THREAD_CPUTIME_ID, &cpu_start);
    /* Read the CPU clock outside the other clock. The CPU time of a thread cannot exceed
     * the elapsed time. */
    if (found.cpu > found.counter)
        found.cpu = found.counter;
    found.instructions = counter_stop();
}

void port_finish(struct port_result *result)
{
    *result = found;
    port_result_stack(result, port_stack);
}

static void *serve(void *unused)
{
    (void)unused;
    if (PORT_COUNTER_HZ != 0)
        counter_open(); /* counts the thread that opens it */
    agent_serve();
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0
        || pthread_attr_setstack(&attributes, stack_memory, sizeof stack_memory) != 0
        || pthread_create(&thread, &attributes, serve, NULL) != 0) {
        fputs("agent: cannot start its thread\n", stderr);
        return 1;
    }
    pthread_join(thread, NULL);
    return 0;
}
