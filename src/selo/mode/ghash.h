/*
 * GHASH, the hash of GCM [SP800-38D, 6.3, 6.4].
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_MODE_GHASH_H
#define SELO_MODE_GHASH_H

#include "../../selo.h"
#include "../native/api.h"

/* Adds `size` bytes to the hash, padded with zeros to a multiple of 16 [SP800-38D, 6.4]. */
void selo_ghash_padded(uint8_t hash[16], const uint8_t key[16], const uint8_t *data, size_t size);

/* Adds the last block: both sizes in bits, each a big-endian number of 64 bits. */
void selo_ghash_sizes(uint8_t hash[16], const uint8_t key[16], size_t first, size_t second);

#endif
