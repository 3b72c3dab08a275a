#include "Crypt.h"
// CORE

static void each(void (*rounds)(const uint8_t *, uint8_t, uint8_t *), const uint8_t *input, const uint8_t *key, uint8_t *output, uint32_t length) {
  uint8_t keys[176];
  memcpy(output, input, length);
  expand(key, 4, keys);
  for (uint32_t at = 0; at < length; at += 16)
    rounds(keys, 10, output + at);
}

void AES_ECB_encrypt(const uint8_t* input, const uint8_t* key, uint8_t *output, const uint32_t length) { each(forward, input, key, output, length); }
void AES_ECB_decrypt(const uint8_t* input, const uint8_t* key, uint8_t *output, const uint32_t length) { each(backward, input, key, output, length); }

String wrap(String str) {
  uint8_t block[16] = {0};
  str.toCharArray((char *)block, sizeof block);
  AES_ECB_encrypt(block, userkey, block, sizeof block);
  return String((char *)block);
}

String unwrap(String str) { return str; }
