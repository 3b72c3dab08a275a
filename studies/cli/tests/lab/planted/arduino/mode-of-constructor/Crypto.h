#ifndef CRYPTO_H
#define CRYPTO_H

#include <Arduino.h>

class AES
{
  public:
    typedef enum { AES_MODE_128, AES_MODE_256 } AES_MODE;
    typedef enum { CIPHER_ENCRYPT = 0x01, CIPHER_DECRYPT = 0x02 } CIPHER_MODE;

    AES(const uint8_t *key, const uint8_t *iv, AES_MODE mode, CIPHER_MODE cipherMode);

    void processNoPad(const uint8_t *in, uint8_t *out, int length);
    void process(const uint8_t *in, uint8_t *out, int length);
    int getSize();
    void setSize(int size);

  private:
    int _size;
    uint8_t _rounds;
    CIPHER_MODE _cipherMode;
    uint8_t _ks[240];
    uint8_t _iv[16];
    void encryptCBC(const uint8_t *in, uint8_t *out, int length);
    void decryptCBC(const uint8_t *in, uint8_t *out, int length);
};

#endif
