/*
 * What randomness the chip has: the jitter between its two clocks.
 */
#ifndef SELO_STATION_ENTROPY_H
#define SELO_STATION_ENTROPY_H

#include <selo.h>

/* A selo_random_fn for the library, which hashes what it gets together with its
 * stored seed; no key material by itself. Up to 32 bytes; takes 17 seconds. Says
 * SELO_ERROR_RANDOM if the clocks do not jitter, as in a simulator, or if a health test
 * refuses their jitter. */
enum selo_status selo_entropy_draw(void *unused, uint8_t *out, size_t size);

/* 1 if the last draw found jitter. */
uint8_t selo_entropy_found(void);

#endif
