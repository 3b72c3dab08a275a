#include "ascon_hash256.h"

#include <string.h>

static uint64_t right(uint64_t word, int bits)
{
    return word >> bits | word << (64 - bits);
}

static void permute(uint64_t x[5], int rounds)
{
    for (int round = 12 - rounds; round < 12; round++) {
        uint64_t t[5];
        x[2] ^= (uint64_t)(0xf0 - 15 * round);
        x[0] ^= x[4];
        x[4] ^= x[3];
        x[2] ^= x[1];
        for (int i = 0; i < 5; i++)
            t[i] = x[i] ^ (~x[(i + 1) % 5] & x[(i + 2) % 5]);
        t[1] ^= t[0];
        t[0] ^= t[4];
        t[3] ^= t[2];
        t[2] = ~t[2];
        x[0] = t[0] ^ right(t[0], 19) ^ right(t[0], 28);
        x[1] = t[1] ^ right(t[1], 61) ^ right(t[1], 39);
        x[2] = t[2] ^ right(t[2], 1) ^ right(t[2], 6);
        x[3] = t[3] ^ right(t[3], 10) ^ right(t[3], 17);
        x[4] = t[4] ^ right(t[4], 7) ^ right(t[4], 41);
    }
}

static void absorb(ascon_hash256_state *state, uint8_t byte)
{
    state->x[0] ^= (uint64_t)byte << (8 * state->used);
}

void ascon_hash256_init(ascon_hash256_state *state)
{
    memset(state, 0, sizeof *state);
    state->x[0] = 0x0000080100cc0002;
    permute(state->x, 12);
}

void ascon_hash256_update(ascon_hash256_state *state, const uint8_t *data, hash_size size)
{
    for (hash_size at = 0; at < size; at++) {
        absorb(state, data[at]);
        if (++state->used == 8) {
            permute(state->x, 12);
            state->used = 0;
        }
    }
}

void ascon_hash256_final(ascon_hash256_state *state, uint8_t *digest)
{
    absorb(state, 0x01);
    for (int word = 0; word < 4; word++) {
        permute(state->x, 12);
        for (int i = 0; i < 8; i++)
            *digest++ = (uint8_t)(state->x[0] >> (8 * i));
    }
}
