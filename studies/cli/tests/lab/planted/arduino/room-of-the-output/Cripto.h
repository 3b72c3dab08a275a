#ifndef CRIPTO_H
#define CRIPTO_H

#include <Arduino.h>

namespace cripto {

// PKCS #7; the output must have room for the padding.
class AES {
  public:
    enum class Mode { ECB, CBC };
    enum class KeySize { Bits128 = 16, Bits256 = 32 };
    explicit AES(KeySize size = KeySize::Bits128, Mode mode = Mode::CBC);
    bool setKey(const uint8_t *key, size_t length);
    bool setIV(const uint8_t *iv, size_t length);
    size_t encrypt(const uint8_t *plain, size_t length, uint8_t *cipher, size_t max);
    size_t decrypt(const uint8_t *cipher, size_t length, uint8_t *plain, size_t max);

  private:
    KeySize _size;
    Mode _mode;
    uint8_t _keys[240];
    uint8_t _iv[16];
};

}

#endif
