/*
 * The functions Sigma and sigma of SHA-256 [FIPS180-4, 4.1.2].
 *
 * A CPU with a shifter computes them as the standard writes them. For a CPU that shifts one byte by
 * one bit, each rotation is split into a multiple of 8, which costs nothing, and as few single bits
 * as possible, shared between the terms.
 */
#ifndef SELO_SHA256_FUNCTIONS_H
#define SELO_SHA256_FUNCTIONS_H

#include "../common/bytewise.h"

static inline uint32_t sha256_ror(uint32_t x, uint8_t n)
{
    return x >> n | x << (32 - n);
}

#if SELO_BYTEWISE

/* Rotate one bit at a time. SELO_OPAQUE stops the compiler from merging two of them into a slow
 * rotation by 2. */
static inline uint32_t sha256_ror1(uint32_t x)
{
    x = sha256_ror(x, 1);
    SELO_OPAQUE(x);
    return x;
}

static inline uint32_t sha256_rol1(uint32_t x)
{
    x = sha256_ror(x, 31);
    SELO_OPAQUE(x);
    return x;
}

/* 2; 13 = 16 - 3; 22 = 24 - 2 */
static inline uint32_t sha256_big_sigma0(uint32_t x)
{
    uint32_t right = sha256_ror1(sha256_ror1(x));
    uint32_t left = sha256_rol1(sha256_ror(x, 16));
    left ^= sha256_ror(x, 24);
    return right ^ sha256_rol1(sha256_rol1(left));
}

/* 6 = 8 - 2; 11 = 8 + 3; 25 = 24 + 1 */
static inline uint32_t sha256_big_sigma1(uint32_t x)
{
    uint32_t left = sha256_rol1(sha256_rol1(sha256_ror(x, 8)));
    uint32_t right = sha256_ror1(sha256_ror1(sha256_ror(x, 8)));
    right ^= sha256_ror(x, 24);
    return sha256_ror1(right) ^ left;
}

/* 7 = 8 - 1; 18 = 16 + 2; shift by 3 = 1 + 2, after clearing the two bits that the rotation by 2
 * would wrap around */
static inline uint32_t sha256_small_sigma0(uint32_t x)
{
    uint32_t right = (x >> 1 & ~(uint32_t)3) ^ sha256_ror(x, 16);
    right = sha256_ror1(sha256_ror1(right));
    return right ^ sha256_rol1(sha256_ror(x, 8));
}

/* 17 = 16 + 1; 19 = 16 + 3; shift by 10 = 8 + 2, after clearing its two lowest bits */
static inline uint32_t sha256_small_sigma1(uint32_t x)
{
    uint32_t right = sha256_ror1(sha256_ror(x, 16)) ^ (x >> 8 & ~(uint32_t)3);
    right = sha256_ror1(right) ^ sha256_ror(x, 16);
    return sha256_ror1(right);
}

#else

static inline uint32_t sha256_big_sigma0(uint32_t x)
{
    return sha256_ror(x, 2) ^ sha256_ror(x, 13) ^ sha256_ror(x, 22);
}

static inline uint32_t sha256_big_sigma1(uint32_t x)
{
    return sha256_ror(x, 6) ^ sha256_ror(x, 11) ^ sha256_ror(x, 25);
}

static inline uint32_t sha256_small_sigma0(uint32_t x)
{
    return sha256_ror(x, 7) ^ sha256_ror(x, 18) ^ x >> 3;
}

static inline uint32_t sha256_small_sigma1(uint32_t x)
{
    return sha256_ror(x, 17) ^ sha256_ror(x, 19) ^ x >> 10;
}

#endif

#endif
