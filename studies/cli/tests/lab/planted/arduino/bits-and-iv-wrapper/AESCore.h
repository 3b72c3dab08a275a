#ifndef AESCORE_H
#define AESCORE_H

#include "Arduino.h"

class AESCore
{
  public:
    byte set_key(byte key[], int keylen);
    void cbc(byte *block, byte *iv);
    void uncbc(byte *block, byte *iv);

  private:
    byte rounds;
    byte keys[240];
};

#endif
