#ifndef AESTOOL_H
#define AESTOOL_H

#include <Arduino.h>

class AESTool {
public:
  static void encrypt128(const uint8_t key[16], const uint8_t in[16], uint8_t out[16]);
  static void decrypt128(const uint8_t key[16], const uint8_t in[16], uint8_t out[16]);
  static size_t encryptCBC128(const uint8_t *key, const uint8_t *iv, const uint8_t *in, size_t len, uint8_t *out);
};

#endif
