#include "heap.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static size_t live, most;
/* Set in a function of the C library that may call another of them. */
static uint8_t inside;
static uint8_t refused, stops_at_refusal;

#ifdef __AVR__
/* avr-libc has the size of a block in the word before it. */
static size_t size_of(void *block) { return ((size_t *)block)[-1]; }
#else
size_t malloc_usable_size(void *block);
static size_t size_of(void *block) { return malloc_usable_size(block); }
#endif

static size_t bytes_of(void *block) { return block ? size_of(block) + sizeof(size_t) : 0; }

static void *noted(void *block, size_t size)
{
    if (!block && size != 0) {
        refused = 1;
        if (stops_at_refusal)
            agent_heap_refused();
    }
    return block;
}

static void add(size_t bytes)
{
    live += bytes;
    if (live > most)
        most = live;
}

void heap_start(void)
{
    most = live;
    refused = 0;
}

uint32_t heap_live(void) { return (uint32_t)live; }
uint32_t heap_most(void) { return (uint32_t)most; }
uint8_t heap_refused(void) { return refused; }
void heap_stop_at_refusal(uint8_t stops) { stops_at_refusal = stops; }

void *__wrap_malloc(size_t size)
{
    void *block = noted(__real_malloc(size), size);
    if (!inside)
        add(bytes_of(block));
    return block;
}

void *__wrap_calloc(size_t count, size_t size)
{
    uint8_t outer = inside;
    inside = 1;
    void *block = noted(__real_calloc(count, size), count && size);
    inside = outer;
    if (!inside)
        add(bytes_of(block));
    return block;
}

/* A block that moves is in use at both places for a moment. */
void *__wrap_realloc(void *block, size_t size)
{
    size_t before = bytes_of(block);
    uint8_t outer = inside;
    inside = 1;
    void *after = noted(__real_realloc(block, size), size);
    inside = outer;
    if (inside || (!after && size != 0))
        return after;
    if (after == block)
        live -= before;
    add(bytes_of(after));
    if (after != block)
        live -= before;
    return after;
}

void __wrap_free(void *block)
{
    if (!inside)
        live -= bytes_of(block);
    __real_free(block);
}
