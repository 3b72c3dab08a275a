/*
 * The random source of a library under measurement: a small generator that the host seeds, so that a
 * measurement can be repeated. Never use it for keys. It is xoshiro128++ [BLACKMAN2021], which uses
 * only 32-bit words, so that its cost is small beside that of its caller.
 */
#ifndef GLUE_RANDOM_H
#define GLUE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static uint32_t glue_state[4];

static inline uint32_t glue_left(uint32_t word, uint8_t bits)
{
    return word << bits | word >> (32 - bits);
}

static inline uint32_t glue_word(void)
{
    uint32_t *s = glue_state;
    uint32_t result = glue_left(s[0] + s[3], 7) + s[0], t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = glue_left(s[3], 11);
    return result;
}

/* Any seed is accepted, but an all-zero state would never change. */
static inline void glue_seed(const uint8_t *seed, uint16_t size)
{
    for (uint8_t i = 0; i < 4; i++)
        glue_state[i] = 0x9e3779b9u * (i + 1u);
    for (uint16_t i = 0; i < size; i++) {
        glue_state[i % 4] ^= (uint32_t)seed[i] << 8 * (i / 4 % 4);
        if (i % 16 == 15)
            glue_word();
    }
    if (!(glue_state[0] | glue_state[1] | glue_state[2] | glue_state[3]))
        glue_state[0] = 1;
    for (uint8_t i = 0; i < 8; i++)
        glue_word();
}

static inline void glue_random(uint8_t *out, size_t size)
{
    uint32_t word = 0;
    for (size_t i = 0; i < size; i++) {
        if (i % 4 == 0)
            word = glue_word();
        out[i] = (uint8_t)(word >> 8 * (i % 4));
    }
}

#endif
