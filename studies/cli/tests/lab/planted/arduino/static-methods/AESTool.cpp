#include "AESTool.h"
// CORE-PROGMEM

void AESTool::encrypt128(const uint8_t key[16], const uint8_t in[16], uint8_t out[16]) {
  uint8_t keys[176], state[16];
  expand(key, 4, keys);
  memcpy(state, in, 16);
  forward(keys, 10, state);
  memcpy(out, state, 16);
}

void AESTool::decrypt128(const uint8_t key[16], const uint8_t in[16], uint8_t out[16]) {
  uint8_t keys[176], state[16];
  expand(key, 4, keys);
  memcpy(state, in, 16);
  backward(keys, 10, state);
  memcpy(out, state, 16);
}

// PKCS #7 is added; out has room for a block more.
size_t AESTool::encryptCBC128(const uint8_t *key, const uint8_t *iv, const uint8_t *in, size_t len, uint8_t *out) {
  uint8_t keys[176], chain[16];
  size_t size = (len / 16 + 1) * 16;
  expand(key, 4, keys);
  memcpy(chain, iv, 16);
  for (size_t at = 0; at < size; at += 16) {
    for (uint8_t i = 0; i < 16; i++)
      chain[i] ^= at + i < len ? in[at + i] : (uint8_t)(size - len);
    forward(keys, 10, chain);
    memcpy(out + at, chain, 16);
  }
  return size;
}
