#ifndef AES256_H
#define AES256_H
#include <stdint.h>

// expand the key; ek[] needs 240 bytes
#define AES256_EXPKEY_LEN 240

void aes256_exp_key(const uint8_t key[32], uint8_t ek[]);
void aes256_encrypt_ecb(const uint8_t ek[], uint8_t v[16]);

#endif
