/*
 * Internal declarations shared by the files of SHA-3 [FIPS202].
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_SHA3_H
#define SELO_SHA3_H

#include <string.h>

#include "../../selo.h"
#include "../common/compiler.h"
#include "../native/api.h"

/* The constants of iota [FIPS202, 3.2.5]. Not in bytewise code. */
extern const uint64_t selo_keccak_constants[24];

/* The form of a lane in the state: its 64 bits, or interleaved for the kernel that takes it so. The
 * low word then has the bits with even numbers, the high word those with odd numbers [KECCAKIMPL, 2.1]. */
#define SELO_KECCAK_INTERLEAVED (SELO_NATIVE_KECCAK && SELO_BACKEND_THUMB2)

#if SELO_KECCAK_INTERLEAVED

/* Exchanges the bits of *high that mask names with those of *low that are `by` places further up. A bit's
 * place in the two words is a number of six bits, the highest of which names the word: this
 * exchanges that one with the one of value `by`. */
static inline void selo_keccak_exchange(uint32_t *low, uint32_t *high, uint32_t mask, uint8_t by)
{
    const uint32_t moved = (*low >> by ^ *high) & mask;
    *high ^= moved;
    *low ^= moved << by;
}

/* Interleaving rotates the six bits of the place. */
static inline uint64_t selo_keccak_to_lane(uint64_t bits)
{
    uint32_t low = (uint32_t)bits, high = (uint32_t)(bits >> 32);
    selo_keccak_exchange(&low, &high, 0x0000ffff, 16);
    selo_keccak_exchange(&low, &high, 0x00ff00ff, 8);
    selo_keccak_exchange(&low, &high, 0x0f0f0f0f, 4);
    selo_keccak_exchange(&low, &high, 0x33333333, 2);
    selo_keccak_exchange(&low, &high, 0x55555555, 1);
    return (uint64_t)high << 32 | low;
}

static inline uint64_t selo_keccak_from_lane(uint64_t lane)
{
    uint32_t low = (uint32_t)lane, high = (uint32_t)(lane >> 32);
    selo_keccak_exchange(&low, &high, 0x55555555, 1);
    selo_keccak_exchange(&low, &high, 0x33333333, 2);
    selo_keccak_exchange(&low, &high, 0x0f0f0f0f, 4);
    selo_keccak_exchange(&low, &high, 0x00ff00ff, 8);
    selo_keccak_exchange(&low, &high, 0x0000ffff, 16);
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

/* Whole lanes to and from bytes; the first byte of a lane is the least significant one [FIPS202, B.1].
 * Not in bytewise code. */
static inline uint32_t selo_keccak_load(const uint8_t bytes[4])
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline void selo_keccak_store(uint8_t bytes[4], uint32_t word)
{
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
    bytes[2] = (uint8_t)(word >> 16);
    bytes[3] = (uint8_t)(word >> 24);
}

static inline void selo_keccak_add_lanes(uint64_t *lanes, const uint8_t *bytes, size_t count)
{
    for (; count != 0; count--, bytes += 8) {
        const uint64_t high = selo_keccak_load(bytes + 4);
        *lanes++ ^= selo_keccak_to_lane(high << 32 | selo_keccak_load(bytes));
    }
}

static inline void selo_keccak_take_lanes(uint8_t *bytes, const uint64_t *lanes, size_t count)
{
    for (; count != 0; count--, bytes += 8) {
        const uint64_t bits = selo_keccak_from_lane(*lanes++);
#if SELO_WIDE || SELO_KECCAK_INTERLEAVED /* the CPU is little-endian (native/api.h) */
        memcpy(bytes, &bits, 8);
#else
        selo_keccak_store(bytes, (uint32_t)bits);
        selo_keccak_store(bytes + 4, (uint32_t)(bits >> 32));
#endif
    }
}

/* selo_keccak_f1600 of native/api.h, for CPUs with words of 64 bits. */
#if SELO_KECCAK_WIDE
void selo_keccak_f1600_wide(uint64_t lanes[25]);
#define keccak_f1600 selo_keccak_f1600_wide
#else
#define keccak_f1600 selo_keccak_f1600
#endif

#endif
