#include "cipher.h"

#include <string.h>

#include "box.h"

static uint8_t round_keys[176];

void aes128_set_key(const uint8_t *key)
{
    static const uint8_t constants[11] = {0, 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36};
    memcpy(round_keys, key, 16);
    for (uint8_t at = 16; at < 176; at++) {
        uint8_t back = at % 16 < 4 ? (uint8_t)(at - 4 + (at % 16 == 3 ? -3 : 1)) : (uint8_t)(at - 4);
        uint8_t before = round_keys[back];
        if (at % 16 < 4)
            before = box[before];
        if (at % 16 == 0)
            before ^= constants[at / 16];
        round_keys[at] = round_keys[at - 16] ^ before;
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

static void add_round_key(uint8_t *block, uint8_t round)
{
    for (uint8_t i = 0; i < 16; i++)
        block[i] ^= round_keys[16 * round + i];
}

void aes128_encrypt(uint8_t *block)
{
    add_round_key(block, 0);
    for (uint8_t round = 1; round <= 10; round++) {
        uint8_t old[16];
        memcpy(old, block, 16);
        for (uint8_t i = 0; i < 16; i++)
            block[i] = box[old[(i + 4 * (i % 4)) % 16]];
        for (uint8_t i = 0; round < 10 && i < 16; i += 4)
            mix_column(block + i);
        add_round_key(block, round);
    }
}

static uint8_t unbox(uint8_t value)
{
    uint8_t found = 0;
    for (uint16_t at = 0; at < 256; at++)
        found |= (uint8_t)(box[at] == value ? at : 0);
    return found;
}

void aes128_decrypt(uint8_t *block)
{
    for (uint8_t round = 10; round > 0; round--) {
        uint8_t old[16];
        add_round_key(block, round);
        /* Three more applications undo the first. */
        for (uint8_t i = 0; round < 10 && i < 48; i += 4)
            mix_column(block + i % 16);
        memcpy(old, block, 16);
        for (uint8_t i = 0; i < 16; i++)
            block[(i + 4 * (i % 4)) % 16] = unbox(old[i]);
    }
    add_round_key(block, 0);
}

void aes128_cbc_encrypt(uint8_t *data, uint16_t size, const uint8_t *iv)
{
    const uint8_t *before = iv;
    for (uint16_t at = 0; at < size; at += 16) {
        for (uint8_t i = 0; i < 16; i++)
            data[at + i] ^= before[i];
        aes128_encrypt(data + at);
        before = data + at;
    }
}
