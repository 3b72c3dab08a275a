#ifndef Cipher_h
#define Cipher_h

#ifdef ARDUINO_ARCH_ESP32
  #include "esp32-hal.h"
#endif
#include "mbedtls/aes.h"
#include "Arduino.h"

class Cipher {
  public:
    Cipher();
    Cipher(char * key);
    void setKey(char * key);
    void encrypt(char * plainText, char * key, unsigned char * outputBuffer);
    void decrypt(unsigned char * cipherText, char * key, unsigned char * outputBuffer);
  private:
    char * privateCipherKey;
};
#endif
