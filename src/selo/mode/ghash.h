/*
 * GHASH, the hash of GCM [SP800-38D, 6.3, 6.4].
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_MODE_GHASH_H
#define SELO_MODE_GHASH_H

#include "../../selo.h"
#include "../native/api.h"

/* Takes `size` bytes into the hash, followed by zeros to a multiple of 16 [SP800-38D, 6.4]. */
void selo_ghash_padded(uint8_t hash[16], const uint8_t key[16], const uint8_t *data, size_t size);

/* Takes in the block that ends a hash: both sizes in bits, 64 bits each, big-endian. */
void selo_ghash_sizes(uint8_t hash[16], const uint8_t key[16], size_t first, size_t second);

#endif
