/*
 * Rotations of 32-bit words.
 *
 * A CPU with a shifter takes any distance at once. On one that shifts by one bit
 * of one byte, a rotation by a multiple of 8 renames bytes, and what is left are
 * single bits; a general rotation would become a loop.
 */
#ifndef SELO_COMMON_ROTATE_H
#define SELO_COMMON_ROTATE_H

#include "bytewise.h"

static inline uint32_t selo_rotate_right(uint32_t x, uint8_t n)
{
    return x >> n | x << (32 - n);
}

#endif
