#ifndef CRYPTO_CBC_h
#define CRYPTO_CBC_h

#include "BlockCipher.h"
#include "Cipher.h"

class CBCCommon : public Cipher {
public:
    virtual ~CBCCommon();
    size_t keySize() const;
    size_t ivSize() const;
    bool setKey(const uint8_t *key, size_t len);
    bool setIV(const uint8_t *iv, size_t len);
    void encrypt(uint8_t *output, const uint8_t *input, size_t len);
    void decrypt(uint8_t *output, const uint8_t *input, size_t len);
    void clear();

protected:
    CBCCommon();
    void setBlockCipher(BlockCipher *cipher) { blockCipher = cipher; }

private:
    BlockCipher *blockCipher;
    uint8_t iv[16];
    uint8_t temp[16];
};

template <typename T> class CBC : public CBCCommon {
public:
    CBC() { setBlockCipher(&cipher); }

private:
    T cipher;
};

#endif
