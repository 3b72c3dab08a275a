#include "aes.h"

#include <string.h>

#include "box.h"

void aes128_init(aes_context *context, const uint8_t key[16])
{
    uint8_t *words = context->round_keys, constant = 1;
    memcpy(words, key, 16);
    for (int at = 16; at < 176; at += 4) {
        uint8_t word[4];
        memcpy(word, words + at - 4, 4);
        if (at % 16 == 0) {
            uint8_t first = word[0];
            word[0] = box[word[1]] ^ constant;
            word[1] = box[word[2]];
            word[2] = box[word[3]];
            word[3] = box[first];
            constant = (uint8_t)(constant << 1) ^ (uint8_t)((constant >> 7) * 0x1b);
        }
        for (int i = 0; i < 4; i++)
            words[at + i] = words[at + i - 16] ^ word[i];
    }
}

static uint8_t twice(uint8_t byte)
{
    return (uint8_t)(byte << 1) ^ (uint8_t)((byte >> 7) * 0x1b);
}

static void mix_column(uint8_t *c)
{
    uint8_t all = c[0] ^ c[1] ^ c[2] ^ c[3], first = c[0];
    c[0] ^= all ^ twice(c[0] ^ c[1]);
    c[1] ^= all ^ twice(c[1] ^ c[2]);
    c[2] ^= all ^ twice(c[2] ^ c[3]);
    c[3] ^= all ^ twice(c[3] ^ first);
}

static void substitute_and_shift(uint8_t state[16])
{
    static const uint8_t shifts[4] = {0, 1, 2, 3};
    uint8_t old[16];
    memcpy(old, state, 16);
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            state[4 * column + row] = box[old[4 * ((column + shifts[row]) % 4) + row]];
}

static void add(uint8_t *state, const uint8_t *other)
{
    for (int i = 0; i < 16; i++)
        state[i] ^= other[i];
}

void aes128_encrypt_block(const aes_context *context, const uint8_t in[16], uint8_t out[16])
{
    uint8_t state[16];
    memcpy(state, in, 16);
    add(state, context->round_keys);
    for (int round = 1; round <= 10; round++) {
        substitute_and_shift(state);
        for (int column = 0; round < 10 && column < 4; column++)
            mix_column(state + 4 * column);
        add(state, context->round_keys + 16 * round);
    }
    memcpy(out, state, 16);
}

void aes128_ctr_crypt(const aes_context *context, uint8_t counter[16], const uint8_t *in,
                      uint8_t *out, size_t size)
{
    uint8_t stream[16];
    for (size_t at = 0; at < size; at++) {
        if (at % 16 == 0) {
            aes128_encrypt_block(context, counter, stream);
            /* The carry of the counter takes time, and the counter is public. */
            for (int i = 15; i >= 0 && ++counter[i] == 0; i--)
                ;
        }
        out[at] = in[at] ^ stream[at % 16];
    }
}
