/*
 * Marsaglia's xorshift with 128 bits of state [MARSAGLIA2003].
 */
#include "generator.h"

static uint32_t state[4] = {1, 2, 3, 4};

static uint32_t next(void)
{
    const uint32_t t = state[0] ^ state[0] << 11;
    state[0] = state[1];
    state[1] = state[2];
    state[2] = state[3];
    state[3] ^= state[3] >> 19 ^ t ^ t >> 8;
    return state[3];
}

void rsa_generator_seed(const uint8_t *seed, size_t size)
{
    for (uint8_t i = 0; i < 4; i++) {
        state[i] = i + 1u;
    }
    for (size_t i = 0; i < size; i++) {
        /* A seed could bring the state to 0, where it would stay. */
        state[0] ^= seed[i];
        if ((state[0] | state[1] | state[2] | state[3]) == 0) {
            state[0] = 1;
        }
        for (uint8_t turn = 0; turn < 4; turn++) {
            next();
        }
    }
}

void rsa_generator_fill(uint8_t *out, size_t size)
{
    while (size-- != 0) {
        *out++ = (uint8_t)(next() >> 24);
    }
}
