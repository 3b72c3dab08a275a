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

/* The form of a lane in the state: its 64 bits, or interleaved for the kernel that takes it so. The
 * low word then has the bits with even numbers, the high word those with odd numbers [KECCAKIMPL, 2.1]. */
#define SELO_KECCAK_INTERLEAVED (SELO_NATIVE_KECCAK && SELO_BACKEND_THUMB2)

#if SELO_KECCAK_INTERLEAVED

/* Exchanges the bits of x that mask names and those that mask << by names. */
static inline uint32_t selo_keccak_exchange(uint32_t x, uint32_t mask, uint8_t by)
{
    const uint32_t moved = (x ^ x >> by) & mask;
    return x ^ moved ^ moved << by;
}

/* The bits with even numbers to the low half of x, those with odd numbers to its high half. */
static inline uint32_t selo_keccak_separate(uint32_t x)
{
    x = selo_keccak_exchange(x, 0x22222222, 1);
    x = selo_keccak_exchange(x, 0x0c0c0c0c, 2);
    x = selo_keccak_exchange(x, 0x00f000f0, 4);
    return selo_keccak_exchange(x, 0x0000ff00, 8);
}

static inline uint32_t selo_keccak_mingle(uint32_t x)
{
    x = selo_keccak_exchange(x, 0x0000ff00, 8);
    x = selo_keccak_exchange(x, 0x00f000f0, 4);
    x = selo_keccak_exchange(x, 0x0c0c0c0c, 2);
    return selo_keccak_exchange(x, 0x22222222, 1);
}

static inline uint64_t selo_keccak_to_lane(uint64_t bits)
{
    const uint32_t low = selo_keccak_separate((uint32_t)bits);
    const uint32_t high = selo_keccak_separate((uint32_t)(bits >> 32));
    return (uint64_t)(low >> 16 | (high & 0xffff0000)) << 32 | (low & 0xffff) | high << 16;
}

static inline uint64_t selo_keccak_from_lane(uint64_t lane)
{
    const uint32_t even = (uint32_t)lane, odd = (uint32_t)(lane >> 32);
    const uint32_t low = selo_keccak_mingle((even & 0xffff) | odd << 16);
    const uint32_t high = selo_keccak_mingle(even >> 16 | (odd & 0xffff0000));
    return (uint64_t)high << 32 | low;
}

#else

static inline uint64_t selo_keccak_to_lane(uint64_t bits)
{
    return bits;
}

static inline uint64_t selo_keccak_from_lane(uint64_t lane)
{
    return lane;
}

#endif

/* selo_keccak_f1600 of native/api.h, for CPUs with words of 64 bits. */
#if SELO_KECCAK_WIDE
void selo_keccak_f1600_wide(uint64_t lanes[25]);
#define keccak_f1600 selo_keccak_f1600_wide
#else
#define keccak_f1600 selo_keccak_f1600
#endif

#endif
