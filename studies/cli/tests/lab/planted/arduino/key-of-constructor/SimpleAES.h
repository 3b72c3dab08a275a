#ifndef SIMPLE_AES_H
#define SIMPLE_AES_H
#include "Arduino.h"

// One key for the life of the object; blocks of 16 bytes in place.
class SimpleAES
{
  public:
    SimpleAES(uint8_t *key);
    void encrypt(uint8_t *data);
    void decrypt(uint8_t *data);
  private:
    uint8_t _schedule[176];
};

#endif
