/* AES-128 in place, with one key for the whole program. */
#ifndef CIPHER_H
#define CIPHER_H

#include <stdint.h>

void aes128_set_key(const uint8_t *key);
void aes128_encrypt(uint8_t *block);
void aes128_decrypt(uint8_t *block);
void aes128_cbc_encrypt(uint8_t *data, uint16_t size, const uint8_t *iv);

#endif
