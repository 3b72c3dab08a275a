#ifndef AESLib_h
#define AESLib_h

#include "Arduino.h"
#include "AESCore.h"

enum class paddingMode { CMS, Bit, ZeroLength, Null, Space, Random, Array };

class AESLib
{
  public:
    AESLib();
    void gen_iv(byte *iv);
    void set_paddingmode(paddingMode mode);
    paddingMode get_paddingmode();
    uint16_t get_cipher_length(uint16_t msg_len);
    // bits is 128 or 256; the IV moves on with every message.
    uint16_t encrypt(const byte input[], uint16_t input_length, char *output, byte key[], int bits, byte my_iv[]);
    uint16_t decrypt(byte input[], uint16_t input_length, char *output, byte key[], int bits, byte my_iv[]);

  private:
    AESCore aes;
    paddingMode padding;
};

#endif
