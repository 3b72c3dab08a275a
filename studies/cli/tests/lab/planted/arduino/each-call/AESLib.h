#ifndef AESLIB_H
#define AESLIB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aes_context;

/* Blocks in place, with a key of 16 bytes. */
void aes128_enc_single(const uint8_t *key, void *data);
void aes128_dec_single(const uint8_t *key, void *data);
/* Whole messages in place; data_len is a multiple of 16. */
void aes128_cbc_enc(const uint8_t *key, const uint8_t *iv, void *data, const uint16_t data_len);
void aes128_cbc_dec(const uint8_t *key, const uint8_t *iv, void *data, const uint16_t data_len);
/* In pieces: begin, go on, and free the context. */
aes_context aes128_cbc_enc_start(const uint8_t *key, const void *iv);
void aes128_cbc_enc_continue(const aes_context ctx, void *data, const uint16_t data_len);
void aes128_cbc_enc_finish(const aes_context ctx);

#ifdef __cplusplus
}
#endif
#endif
