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

#endif
