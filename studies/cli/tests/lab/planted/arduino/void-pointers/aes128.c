#include "aes128_enc.h"
#include "aes128_dec.h"
#include "aes_keyschedule.h"
// CORE

void aes_init(const void* key, uint16_t keysize_b, aes_genctx_t* ctx)
{
	expand(key, keysize_b / 32, (uint8_t*)ctx);
}

void aes128_init(const void* key, aes128_ctx_t* ctx)
{
	aes_init(key, 128, (aes_genctx_t*)ctx);
}

void aes128_enc(void* buffer, aes128_ctx_t* ctx)
{
	forward(ctx->key[0].ks, 10, buffer);
}

void aes128_dec(void* buffer, aes128_ctx_t* ctx)
{
	backward(ctx->key[0].ks, 10, buffer);
}
