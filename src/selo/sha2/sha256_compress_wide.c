/* The compression function of SHA-256 [FIPS180-4, 6.2.2] for CPUs with many registers. */
#include "../common/wide.h"
#include "sha2.h"
#include "sha256_functions.h"

#if SELO_SHA2_WIDE

#define COMPRESS selo_sha256_compress_wide
#define WORD uint32_t
#define LOAD selo_load_be32
#define CONSTANTS selo_sha256_constants
#define ROUNDS 64
#define BIG_0 sha256_big_sigma0
#define BIG_1 sha256_big_sigma1
#define SMALL_0 sha256_small_sigma0
#define SMALL_1 sha256_small_sigma1
#include "sha2_compress.inc"

#endif
