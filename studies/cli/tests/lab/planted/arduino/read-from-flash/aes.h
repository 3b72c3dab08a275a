#ifndef AES_H
#define AES_H
#include <Arduino.h>

typedef struct { uint8_t round_key[176]; } aes_128_context;

void aes_128_init(aes_128_context *context, const uint8_t * const key);
void aes_128_encrypt(aes_128_context *context, uint8_t block[16]);
void aes_128_decrypt(aes_128_context *context, uint8_t block[16]);

#endif
