/*
 * Counts the heap during an operation, in images with AGENT_HEAP=1. The linker puts the functions of
 * heap.c around those of the C library (`--wrap`).
 */
#ifndef SELO_AGENT_HEAP_H
#define SELO_AGENT_HEAP_H

#include <stdint.h>

/* The bytes in use now, and the most that were in use since heap_start, with the C library's own
 * word for each block. */
void heap_start(void);
uint32_t heap_live(void);
uint32_t heap_most(void);
/* 1 if an allocation was refused since heap_start. */
uint8_t heap_refused(void);
/* With 1, a refused allocation calls agent_heap_refused, and does not return. */
void heap_stop_at_refusal(uint8_t stops);

/* Answers the RUN in progress, and waits for ever. */
void agent_heap_refused(void);

#endif
