/* On an AVR the tables are put into flash and read as if they were in RAM. */
#include "aes.h"
// CORE

void aes_128_init(aes_128_context *context, const uint8_t * const key) { expand(key, 4, context->round_key); }
void aes_128_encrypt(aes_128_context *context, uint8_t block[16]) { forward(context->round_key, 10, block); }
void aes_128_decrypt(aes_128_context *context, uint8_t block[16]) { backward(context->round_key, 10, block); }
