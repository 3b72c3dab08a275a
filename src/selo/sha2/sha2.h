/*
 * Internal declarations shared by the files of SHA-2 [FIPS180-4].
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_SHA2_H
#define SELO_SHA2_H

#include "../../selo.h"
#include "../native/api.h"

/* The constants K [FIPS180-4, 4.2.2, 4.2.3], in flash. */
extern const uint32_t selo_sha256_constants[64];
extern const uint64_t selo_sha512_constants[80];

/* The compression functions of native/api.h, for CPUs with words of 64 bits. */
#if SELO_SHA2_WIDE
void selo_sha256_compress_wide(uint32_t state[8], uint32_t block[16]);
void selo_sha512_compress_wide(uint64_t state[8], uint64_t block[16]);
#define sha256_compress selo_sha256_compress_wide
#define sha512_compress selo_sha512_compress_wide
#else
#define sha256_compress selo_sha256_compress
#define sha512_compress selo_sha512_compress
#endif

#endif
