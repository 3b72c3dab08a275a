/*
 * Internal declarations shared by the files of SHA-3 [FIPS202].
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_SHA3_H
#define SELO_SHA3_H

#include "../../selo.h"
#include "../common/compiler.h"
#include "../native/api.h"

/* The constants of iota [FIPS202, 3.2.5]. Not in bytewise code. */
extern const uint64_t selo_keccak_constants[24];

/* selo_keccak_f1600 of native/api.h, for CPUs with words of 64 bits. */
#if SELO_KECCAK_WIDE
void selo_keccak_f1600_wide(uint64_t lanes[25]);
#define keccak_f1600 selo_keccak_f1600_wide
#else
#define keccak_f1600 selo_keccak_f1600
#endif

#endif
