#pragma once

#include <Arduino.h>
// CORE-PROGMEM

namespace tinyaes {

template <uint16_t Bits> class Aes {
public:
  static constexpr uint8_t Rounds = Bits / 32 + 6;

  void setKey(const uint8_t *key) { expand(key, Bits / 32, _keys); }
  void encryptBlock(uint8_t *block) const { forward(_keys, Rounds, block); }
  void decryptBlock(uint8_t *block) const { backward(_keys, Rounds, block); }

private:
  uint8_t _keys[16 * (Rounds + 1)];
};

using Aes128 = Aes<128>;
using Aes256 = Aes<256>;

}
