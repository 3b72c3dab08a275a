#ifndef CIPHER_TEXT_H
#define CIPHER_TEXT_H

#include <Arduino.h>

// Texts with AES-128: a block for every 16 letters, filled with spaces.
class CipherText
{
  public:
    CipherText();
    CipherText(char *key);
    virtual ~CipherText();
    void setKey(char *key);
    char *getKey();
    void encrypt(char *plainText, unsigned char *outputBuffer);
    void encrypt(char *plainText, char *key, unsigned char *outputBuffer);
    void decrypt(unsigned char *cipherText, unsigned char *outputBuffer);
    void decrypt(unsigned char *cipherText, char *key, unsigned char *outputBuffer);
    String encryptString(String plainText);
    String encryptString(String plainText, char *key);

  private:
    char *privateCipherKey;
};

#endif
