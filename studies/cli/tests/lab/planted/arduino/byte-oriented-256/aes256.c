#include <stdint.h>
// CORE
#include "aes256.h"

void aes256_init(aes256_context *ctx, uint8_t *k)
{
    memcpy(ctx->key, k, 32);
    memcpy(ctx->enckey, k, 32);
    expand(k, 8, ctx->deckey);
}

void aes256_done(aes256_context *ctx)
{
    for (uint8_t i = 0; i < 32; i++)
        ctx->key[i] = ctx->enckey[i] = ctx->deckey[i] = 0;
}

void aes256_encrypt_ecb(aes256_context *ctx, uint8_t *buf) { forward(ctx->deckey, 14, buf); }

void aes256_decrypt_ecb(aes256_context *ctx, uint8_t *buf) { backward(ctx->deckey, 14, buf); }
