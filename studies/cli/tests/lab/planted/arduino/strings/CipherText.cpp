#include "CipherText.h"
// CORE-PROGMEM

CipherText::CipherText() { setKey((char *)"abcdefghijklmnop"); }
CipherText::CipherText(char *key) { setKey(key); }
CipherText::~CipherText() {}

void CipherText::setKey(char *key)
{
  if (strlen(key) > 16) {
    privateCipherKey = key;
    Serial.println(F("[warning] The key is longer than 16 letters"));
  } else {
    privateCipherKey = key;
  }
}

char *CipherText::getKey() { return privateCipherKey; }

void CipherText::encrypt(char *plainText, char *key, unsigned char *outputBuffer)
{
  uint8_t keys[176];
  expand((uint8_t *)key, 4, keys);
  memcpy(outputBuffer, plainText, 16);
  forward(keys, 10, outputBuffer);
}

void CipherText::encrypt(char *plainText, unsigned char *outputBuffer)
{
  encrypt(plainText, getKey(), outputBuffer);
}

void CipherText::decrypt(unsigned char *cipherText, char *key, unsigned char *outputBuffer)
{
  uint8_t keys[176];
  expand((uint8_t *)key, 4, keys);
  memcpy(outputBuffer, cipherText, 16);
  backward(keys, 10, outputBuffer);
}

void CipherText::decrypt(unsigned char *cipherText, unsigned char *outputBuffer)
{
  decrypt(cipherText, getKey(), outputBuffer);
}

String CipherText::encryptString(String plainText, char *key)
{
  const int BLOCK_SIZE = 16;
  String cipherTextString = "";
  for (unsigned int at = 0; at < plainText.length(); at += BLOCK_SIZE) {
    char block[BLOCK_SIZE + 1];
    unsigned char out[BLOCK_SIZE];
    for (int i = 0; i < BLOCK_SIZE; i++)
      block[i] = at + i < plainText.length() ? plainText.charAt(at + i) : ' ';
    block[BLOCK_SIZE] = 0;
    encrypt(block, key, out);
    for (int i = 0; i < BLOCK_SIZE; i++) {
      char hex[3];
      snprintf_P(hex, sizeof hex, PSTR("%02x"), out[i]);
      cipherTextString += hex;
    }
  }
  return cipherTextString;
}

String CipherText::encryptString(String plainText) { return encryptString(plainText, getKey()); }
