#include "mixer.h"
// CORE

uint8_t key_setup[4];
int encrypt;
int decrypt;

void aes128_set_key(uint8_t *schedule, const uint8_t *key) { expand(key, 4, schedule); key_setup[0]++; }

void aes128_encrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out) {
  memmove(out, in, 16);
  forward(schedule, 10, out);
  encrypt++;
}

void aes128_decrypt(const uint8_t *schedule, const uint8_t *in, uint8_t *out) {
  memmove(out, in, 16);
  backward(schedule, 10, out);
  decrypt++;
}
