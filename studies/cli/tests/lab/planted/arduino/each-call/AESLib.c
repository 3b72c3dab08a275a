#include "AESLib.h"
#include <stdlib.h>
// CORE

struct chain {
    uint8_t keys[176];
    uint8_t last[16];
};

void aes128_enc_single(const uint8_t *key, void *data)
{
    uint8_t keys[176];
    expand(key, 4, keys);
    forward(keys, 10, data);
}

void aes128_dec_single(const uint8_t *key, void *data)
{
    uint8_t keys[176];
    expand(key, 4, keys);
    backward(keys, 10, data);
}

aes_context aes128_cbc_enc_start(const uint8_t *key, const void *iv)
{
    struct chain *chain = malloc(sizeof *chain);
    if (chain != NULL) {
        expand(key, 4, chain->keys);
        memcpy(chain->last, iv, 16);
    }
    return chain;
}

void aes128_cbc_enc_continue(const aes_context ctx, void *data, const uint16_t data_len)
{
    struct chain *chain = ctx;
    uint8_t *block = data;
    for (uint16_t at = 0; at < data_len; at += 16, block += 16) {
        add(block, chain->last);
        forward(chain->keys, 10, block);
        memcpy(chain->last, block, 16);
    }
}

void aes128_cbc_enc_finish(const aes_context ctx)
{
    free(ctx);
}

void aes128_cbc_enc(const uint8_t *key, const uint8_t *iv, void *data, const uint16_t data_len)
{
    aes_context ctx = aes128_cbc_enc_start(key, iv);
    aes128_cbc_enc_continue(ctx, data, data_len);
    aes128_cbc_enc_finish(ctx);
}

void aes128_cbc_dec(const uint8_t *key, const uint8_t *iv, void *data, const uint16_t data_len)
{
    uint8_t keys[176], last[16], next[16], *block = data;
    expand(key, 4, keys);
    memcpy(last, iv, 16);
    for (uint16_t at = 0; at < data_len; at += 16, block += 16) {
        memcpy(next, block, 16);
        backward(keys, 10, block);
        add(block, last);
        memcpy(last, next, 16);
    }
}
