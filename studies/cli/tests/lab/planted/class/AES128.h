// AES-128 as a class, for sketches.
#ifndef AES128_H
#define AES128_H

#include <Arduino.h>

class AES128 {
public:
    bool setKey(const uint8_t *key, size_t size);
    void encryptBlock(uint8_t *output, const uint8_t *input);
    void encryptCBC(uint8_t *output, const uint8_t *input, size_t size, const uint8_t *iv);

private:
    byte roundKeys[11][16];
};

#endif
