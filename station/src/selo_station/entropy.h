/*
 * The chip's source of randomness: the jitter between its two clocks.
 */
#ifndef SELO_STATION_ENTROPY_H
#define SELO_STATION_ENTROPY_H

#include <selo.h>

/* A selo_random_fn for the library, which hashes the bytes together with its stored seed. Do not
 * use them alone as a key. Gives up to 32 bytes and takes 17 seconds. Returns SELO_ERROR_RANDOM if
 * the clocks do not jitter, as in a simulator, or if a health test rejects the jitter. */
enum selo_status selo_entropy_draw(void *unused, uint8_t *out, size_t size);

/* Returns 1 if the last draw found jitter, else 0. */
uint8_t selo_entropy_found(void);

#endif
