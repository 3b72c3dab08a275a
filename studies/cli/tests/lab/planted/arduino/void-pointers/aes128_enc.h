#ifndef AES128_ENC_H_
#define AES128_ENC_H_

#include "aes_types.h"

void aes128_enc(void* buffer, aes128_ctx_t* ctx);

#endif
