/*
 * Sums and differences of 64 bits without a branch, for compilers whose own 64-bit sums branch
 * (SELO_WIDE_SUMS).
 */
#ifndef SELO_COMMON_SUM64_H
#define SELO_COMMON_SUM64_H

#include <stdint.h>

#include "../native/api.h"

#if SELO_WIDE_SUMS

static inline uint64_t selo_sum64(uint64_t a, uint64_t b) { return a + b; }
static inline uint64_t selo_difference64(uint64_t a, uint64_t b) { return a - b; }

#else

/* The carry out of the low half follows from the top bits of both terms and of the sum. */
static inline uint64_t selo_sum64(uint64_t a, uint64_t b)
{
    uint32_t x = (uint32_t)a, y = (uint32_t)b, low = x + y;
    uint32_t carry = ((x & y) | ((x | y) & ~low)) >> 31;
    return (uint64_t)((uint32_t)(a >> 32) + (uint32_t)(b >> 32) + carry) << 32 | low;
}

static inline uint64_t selo_difference64(uint64_t a, uint64_t b)
{
    uint32_t x = (uint32_t)a, y = (uint32_t)b, low = x - y;
    uint32_t borrow = ((~x & y) | ((~x | y) & low)) >> 31;
    return (uint64_t)((uint32_t)(a >> 32) - (uint32_t)(b >> 32) - borrow) << 32 | low;
}

#endif

#endif
