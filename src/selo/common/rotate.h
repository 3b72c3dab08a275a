/*
 * Rotations of 32-bit words by fixed distances.
 *
 * A CPU with a shifter rotates by any distance at once. On a CPU that shifts one byte by one bit, a
 * rotation by a multiple of 8 renames bytes, and single bits remain. A general rotation would
 * become a loop.
 */
#ifndef SELO_COMMON_ROTATE_H
#define SELO_COMMON_ROTATE_H

#include "bytewise.h"

static inline uint32_t selo_rotate_right(uint32_t x, uint8_t n)
{
    return x >> n | x << (32 - n);
}

#if SELO_BYTEWISE

/* Rotate one bit at a time. SELO_OPAQUE stops the compiler from merging two of them into a slow
 * rotation by 2. */
static inline uint32_t selo_rotate_right_1(uint32_t x)
{
    x = selo_rotate_right(x, 1);
    SELO_OPAQUE(x);
    return x;
}

static inline uint32_t selo_rotate_left_1(uint32_t x)
{
    x = selo_rotate_right(x, 31);
    SELO_OPAQUE(x);
    return x;
}

/* 7 = 8 - 1 */
static inline uint32_t selo_rotate_right_7(uint32_t x)
{
    return selo_rotate_left_1(selo_rotate_right(x, 8));
}

static inline uint32_t selo_rotate_left_7(uint32_t x)
{
    return selo_rotate_right_1(selo_rotate_right(x, 24));
}

/* 12 = 8 + 4 */
static inline uint32_t selo_rotate_right_12(uint32_t x)
{
    x = selo_rotate_right(x, 8);
    for (uint8_t i = 0; i < 4; i++) {
        x = selo_rotate_right_1(x);
    }
    return x;
}

static inline uint32_t selo_rotate_left_12(uint32_t x)
{
    x = selo_rotate_right(x, 24);
    return selo_rotate_left_1(selo_rotate_left_1(selo_rotate_left_1(selo_rotate_left_1(x))));
}

#else

static inline uint32_t selo_rotate_right_7(uint32_t x)
{
    return selo_rotate_right(x, 7);
}

static inline uint32_t selo_rotate_left_7(uint32_t x)
{
    return selo_rotate_right(x, 25);
}

static inline uint32_t selo_rotate_right_12(uint32_t x)
{
    return selo_rotate_right(x, 12);
}

static inline uint32_t selo_rotate_left_12(uint32_t x)
{
    return selo_rotate_right(x, 20);
}

#endif

#endif
