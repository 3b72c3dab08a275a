#ifndef CRYPTO_CTR_h
#define CRYPTO_CTR_h

#include "BlockCipher.h"
#include "Cipher.h"

class CTRCommon : public Cipher {
public:
    virtual ~CTRCommon();
    size_t keySize() const;
    size_t ivSize() const;
    bool setCounterSize(size_t size);
    bool setKey(const uint8_t *key, size_t len);
    bool setIV(const uint8_t *iv, size_t len);
    void encrypt(uint8_t *output, const uint8_t *input, size_t len);
    void decrypt(uint8_t *output, const uint8_t *input, size_t len);
    void clear();

protected:
    CTRCommon();
    void setBlockCipher(BlockCipher *cipher) { blockCipher = cipher; }

private:
    BlockCipher *blockCipher;
    uint8_t counter[16];
    uint8_t state[16];
    uint8_t posn;
    uint8_t counterStart;
};

template <typename T> class CTR : public CTRCommon {
public:
    CTR() { setBlockCipher(&cipher); }

private:
    T cipher;
};

#endif
