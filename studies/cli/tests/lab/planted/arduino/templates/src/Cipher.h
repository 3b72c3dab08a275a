#ifndef CRYPTO_CIPHER_h
#define CRYPTO_CIPHER_h

#include <inttypes.h>
#include <stddef.h>

class Cipher {
public:
    Cipher();
    virtual ~Cipher();
    virtual size_t keySize() const = 0;
    virtual size_t ivSize() const = 0;
    virtual bool setKey(const uint8_t *key, size_t len) = 0;
    virtual bool setIV(const uint8_t *iv, size_t len) = 0;
    virtual void encrypt(uint8_t *output, const uint8_t *input, size_t len) = 0;
    virtual void decrypt(uint8_t *output, const uint8_t *input, size_t len) = 0;
    virtual void clear() = 0;
};

#endif
