/* Lines, heap, bytes and parts of a client (client.h). */
#include "client.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_failed, heap_refused;

/* ---- Lines ------------------------------------------------------------------------------ */

#define SAY(...)                                                                               \
    do {                                                                                       \
        char line_[160];                                                                       \
        int size_ = snprintf(line_, sizeof line_, __VA_ARGS__);                                \
        if (size_ > 0 && (size_t)size_ < sizeof line_)                                         \
            port_say(line_, (size_t)size_);                                                    \
    } while (0)

void client_failed(const char *fault, const char *reason, long number)
{
    /* A library that runs out of memory during a signature reports that the signature is
     * wrong. */
    if (heap_refused) {
        fault = "machine";
        reason = "no memory";
    }
    if (!has_failed)
        SAY("failed fault=%s number=%ld reason=%s\n", fault, number, reason);
    has_failed = 1;
}

void client_say(const char *word)
{
    SAY("%s\n", word);
}

void client_say_bytes(const char *word, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char text[64];
    port_say(word, strlen(word));
    port_say(" ", 1);
    for (size_t have = 0; size > 0;) {
        text[have++] = digits[*bytes >> 4];
        text[have++] = digits[*bytes++ & 15];
        size--;
        if (have == sizeof text || size == 0) {
            port_say(text, have);
            have = 0;
        }
    }
    port_say("\n", 1);
}

/* ---- Heap -------------------------------------------------------------------------------
 * A library's calloc and realloc may call malloc, which would count twice. They are therefore
 * replaced here. */

void *__real_malloc(size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static size_t heap_now, heap_most;

void *__wrap_malloc(size_t size)
{
    void *block = __real_malloc(size);
    if (block != NULL) {
        heap_now += malloc_usable_size(block);
        if (heap_now > heap_most)
            heap_most = heap_now;
    } else if (size > 0) {
        heap_refused = 1;
    }
    return block;
}

void __wrap_free(void *block)
{
    if (block != NULL)
        heap_now -= malloc_usable_size(block);
    __real_free(block);
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *block = size != 0 && count > SIZE_MAX / size ? NULL : __wrap_malloc(count * size);
    return block == NULL ? NULL : memset(block, 0, count * size);
}

void *__wrap_realloc(void *old, size_t size)
{
    void *block = __wrap_malloc(size);
    if (block != NULL && old != NULL) {
        size_t had = malloc_usable_size(old);
        memcpy(block, old, had < size ? had : size);
        __wrap_free(old);
    }
    return block;
}

/* ---- The connection --------------------------------------------------------------------- */

static unsigned asked;
static unsigned long sent, received, trips;

size_t client_send(const void *data, size_t size)
{
    size_t done = port_send(data, size);
    sent += (unsigned long)done;
    asked = 1;
    return done;
}

size_t client_receive(void *data, size_t size)
{
    size_t done = port_receive(data, size);
    received += (unsigned long)done;
    trips += asked;
    asked = 0;
    return done;
}

int client_random(unsigned char *to, unsigned int size)
{
    return port_load("/dev/urandom", to, size) == size ? 0 : -1;
}

/* ---- Parts ------------------------------------------------------------------------------ */

struct part {
    uint64_t wall, processor;
    unsigned long sent, received, trips;
};

static struct part now(void)
{
    return (struct part){port_wall(), port_processor(), sent, received, trips};
}

static struct part from;

void client_begin(void)
{
    from = now();
}

void client_end(const char *name)
{
    struct part to = now();
    SAY("%s wall=%lu processor=%lu sent=%lu received=%lu trips=%lu\n", name,
        (unsigned long)(to.wall - from.wall), (unsigned long)(to.processor - from.processor),
        to.sent - from.sent, to.received - from.received, to.trips - from.trips);
}

int client_run(void (*perform)(void))
{
    size_t stack;
    heap_most = heap_now;
    SAY("begin\n");
    stack = port_on_painted_stack(perform);
    SAY("memory heap=%lu stack=%lu\n", (unsigned long)heap_most, (unsigned long)stack);
    return has_failed;
}
