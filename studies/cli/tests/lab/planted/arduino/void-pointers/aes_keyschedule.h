#ifndef AES_KEYSCHEDULE_H_
#define AES_KEYSCHEDULE_H_

#include "aes_types.h"

void aes_init(const void* key, uint16_t keysize_b, aes_genctx_t* ctx);
void aes128_init(const void* key, aes128_ctx_t* ctx);

#endif
