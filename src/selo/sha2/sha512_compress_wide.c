/* The compression function of SHA-512 [FIPS180-4, 6.4.2] for CPUs with words of 64 bits. */
#include "../common/wide.h"
#include "sha2.h"

#if SELO_SHA2_WIDE

static inline uint64_t ror(uint64_t x, uint8_t n)
{
    return x >> n | x << (64 - n);
}

#define COMPRESS selo_sha512_compress_wide
#define WORD uint64_t
#define LOAD selo_load_be64
#define CONSTANTS selo_sha512_constants
#define ROUNDS 80
#define BIG_0(x) (ror(x, 28) ^ ror(x, 34) ^ ror(x, 39))
#define BIG_1(x) (ror(x, 14) ^ ror(x, 18) ^ ror(x, 41))
#define SMALL_0(x) (ror(x, 1) ^ ror(x, 8) ^ (x) >> 7)
#define SMALL_1(x) (ror(x, 19) ^ ror(x, 61) ^ (x) >> 6)
#include "sha2_compress.inc"

#endif
