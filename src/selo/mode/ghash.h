/*
 * GHASH, the hash of GCM [SP800-38D, 6.3, 6.4].
 *
 * An overlay of src/selo/native/ replaces the multiplication where
 * SELO_NATIVE_GHASH_MULTIPLY is 1: then the C is left out.
 */
#ifndef SELO_MODE_GHASH_H
#define SELO_MODE_GHASH_H

#include "../../selo.h"
#include "../native/native.h"

#ifndef SELO_NATIVE_GHASH_MULTIPLY
#define SELO_NATIVE_GHASH_MULTIPLY SELO_NATIVE_GHASH
#endif

/* product = product * key in GF(2^128). The coefficient of x^0 is the highest bit of byte 0
 * [SP800-38D, 6.3]. Neither time nor addresses depend on the operands. */
void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16]);

/* Takes `size` bytes into the hash, followed by zeros to a multiple of 16 [SP800-38D, 6.4]. */
void selo_ghash_padded(uint8_t hash[16], const uint8_t key[16], const uint8_t *data, size_t size);

/* Takes in the block that ends a hash: both sizes in bits, 64 bits each, big-endian. */
void selo_ghash_sizes(uint8_t hash[16], const uint8_t key[16], size_t first, size_t second);

#endif
