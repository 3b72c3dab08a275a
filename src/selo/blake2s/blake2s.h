/*
 * What the files of BLAKE2s share [RFC7693].
 *
 * An overlay of src/selo/native/ replaces the compression function where
 * SELO_NATIVE_BLAKE2S_COMPRESS is 1: then the C is left out.
 */
#ifndef SELO_BLAKE2S_H
#define SELO_BLAKE2S_H

#include "../../selo.h"
#include "../native/native.h"

#ifndef SELO_NATIVE_BLAKE2S_COMPRESS
#define SELO_NATIVE_BLAKE2S_COMPRESS SELO_NATIVE_BLAKE2S
#endif

/* The compression function F [RFC7693, 3.2]. `size` counts the bytes of the message up to
 * the end of this block, without padding; `last` is 0xffffffff for the last block, else 0. */
void selo_blake2s_compress(uint32_t state[8], const uint8_t block[64], uint32_t size,
                           uint32_t last);

/* The initialization vector [RFC7693, 2.6], in flash. */
extern const uint32_t selo_blake2s_iv[8];

#endif
