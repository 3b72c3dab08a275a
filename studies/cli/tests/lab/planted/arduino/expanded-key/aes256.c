#include "aes256.h"
// CORE

void aes256_exp_key(const uint8_t key[32], uint8_t ek[]) { expand(key, 8, ek); (void)backward; }
void aes256_encrypt_ecb(const uint8_t ek[], uint8_t v[16]) { forward(ek, 14, v); }
