/* The random generator of a node [docs/protocol.md, what survives a power cut]. */
#ifndef SELO_LINK_RANDOM_H
#define SELO_LINK_RANDOM_H

#include "../../selo.h"

/* Seeds the state from the stored values and the device's entropy. */
void selo_random_seed(uint8_t state[32], const uint8_t device_key[32], const uint8_t stored[32],
                      uint32_t join_counter, const uint8_t entropy[32]);

/* Writes 32 random bytes. These bytes and the new state reveal no other output. */
void selo_random_draw(uint8_t state[32], uint8_t out[32]);

#endif
