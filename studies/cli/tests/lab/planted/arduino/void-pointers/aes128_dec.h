#ifndef AES128_DEC_H_
#define AES128_DEC_H_

#include "aes_types.h"

void aes128_dec(void* buffer, aes128_ctx_t* ctx);

#endif
