/* Objects of the library are called as functions of the glue are. */
#ifndef MIXER_H
#define MIXER_H
#include <stdint.h>

extern uint8_t key_setup[4];
extern int encrypt;
extern int decrypt;

void aes128_set_key(uint8_t *schedule, const uint8_t *key);
void aes128_encrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out);
void aes128_decrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out);

#endif
