#ifndef AES_CBC_H
#define AES_CBC_H

#include <stddef.h>
#include <stdint.h>

class AesCbc {
  public:
    AesCbc(const uint8_t key[16]);
    void setIV(const uint8_t iv[16]);
    void encrypt(uint8_t *buf, size_t len);
    void decrypt(uint8_t *buf, size_t len);

  private:
    uint8_t keys[176], before[16];
};

#endif
