/*
 * Internal declarations shared by the files of BLAKE2s [RFC7693].
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_BLAKE2S_H
#define SELO_BLAKE2S_H

#include "../../selo.h"
#include "../native/api.h"

/* The initialization vector [RFC7693, 2.6], in flash. */
extern const uint32_t selo_blake2s_iv[8];

/* selo_blake2s_compress of native/api.h, for CPUs with vectors. */
#if SELO_BLAKE2S_WIDE
void selo_blake2s_compress_wide(uint32_t state[8], const uint8_t block[64], uint32_t size,
                                uint32_t last);
#define blake2s_compress selo_blake2s_compress_wide
#else
#define blake2s_compress selo_blake2s_compress
#endif

#endif
