/*
 * Selo simavr runner: the status register in one byte [AVR-ISA, status register].
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_FLAGS_H
#define SELO_SIMAVR_FLAGS_H

#include <stdint.h>

enum { C = 1, Z = 2, N = 4, V = 8, S = 16, H = 32, T = 64 };

/* N, Z, and S for a result without overflow. */
static inline uint8_t nz(uint8_t result)
{
    return (uint8_t)((result >> 7) * (N | S) | (result == 0) * Z);
}

/* All flags of d + r + carry = sum, or of d - r - carry = sum. sum has the carry in bit 8. */
static inline uint8_t arithmetic(uint8_t flags, unsigned d, unsigned r, unsigned sum, unsigned overflow)
{
    unsigned carries = d ^ r ^ sum;
    return (uint8_t)((flags & ~(C | Z | N | V | S | H)) | (sum >> 8 & C) | (carries << 1 & H)
                     | (nz((uint8_t)sum) ^ (overflow >> 7 & 1) * (V | S)));
}

static inline uint8_t added(uint8_t flags, unsigned d, unsigned r, unsigned sum)
{
    return arithmetic(flags, d, r, sum, (d ^ sum) & (r ^ sum));
}

static inline uint8_t subtracted(uint8_t flags, unsigned d, unsigned r, unsigned difference)
{
    return arithmetic(flags, d, r, difference, (d ^ r) & (d ^ difference));
}

/* With a carry in, Z stays clear if it was. */
static inline uint8_t subtracted_on(uint8_t flags, unsigned d, unsigned r, unsigned difference)
{
    return (uint8_t)(subtracted(flags, d, r, difference) & (flags | ~Z));
}

static inline uint8_t combined(uint8_t flags, uint8_t result)
{
    return (uint8_t)((flags & ~(Z | N | V | S)) | nz(result));
}

/* ASR, LSR, ROR: V is N ^ C, so S is C. */
static inline uint8_t shifted(uint8_t flags, uint8_t d, uint8_t result)
{
    uint8_t carry = d & 1, negative = result >> 7;
    return (uint8_t)((flags & ~(C | Z | N | V | S)) | carry | (result == 0) * Z | negative * N
                     | (negative ^ carry) * V | carry * S);
}

static inline uint8_t stepped(uint8_t flags, uint8_t result, uint8_t overflow)
{
    return (uint8_t)((flags & ~(Z | N | V | S)) | (nz(result) ^ (result == overflow) * (V | S)));
}

static inline uint8_t word_changed(uint8_t flags, uint16_t result, unsigned carry, unsigned overflow)
{
    uint8_t sign = (uint8_t)((result >> 15) * (N | S) | (result == 0) * Z);
    return (uint8_t)((flags & ~(C | Z | N | V | S)) | (carry >> 15 & 1) * C
                     | (sign ^ (overflow >> 15 & 1) * (V | S)));
}

static inline uint8_t multiplied(uint8_t flags, uint16_t result, uint16_t carry)
{
    return (uint8_t)((flags & ~(C | Z)) | (carry >> 15) * C | (result == 0) * Z);
}

#endif
