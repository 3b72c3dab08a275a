/* AES-128 with a context: one block, CBC and CTR. */
#ifndef AES_H
#define AES_H

#include <stddef.h>
#include <stdint.h>

#define AES_BLOCK_SIZE 16

typedef struct {
    uint8_t round_keys[176];
} aes_context;

void aes128_init(aes_context *context, const uint8_t key[16]);
void aes128_encrypt_block(const aes_context *context, const uint8_t in[16], uint8_t out[16]);
void aes128_ctr_crypt(const aes_context *context, uint8_t counter[16], const uint8_t *in,
                      uint8_t *out, size_t size);

#endif
