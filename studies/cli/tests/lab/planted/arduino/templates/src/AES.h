#ifndef CRYPTO_AES_h
#define CRYPTO_AES_h

#include "BlockCipher.h"

class AESCommon : public BlockCipher {
public:
    virtual ~AESCommon();
    size_t blockSize() const;
    void encryptBlock(uint8_t *output, const uint8_t *input);
    void decryptBlock(uint8_t *output, const uint8_t *input);
    void clear();

protected:
    AESCommon();
    uint8_t rounds;
    uint8_t *schedule;
};

class AES128 : public AESCommon {
public:
    AES128();
    virtual ~AES128();
    size_t keySize() const;
    bool setKey(const uint8_t *key, size_t len);

private:
    uint8_t sched[176];
};

class AES256 : public AESCommon {
public:
    AES256();
    virtual ~AES256();
    size_t keySize() const;
    bool setKey(const uint8_t *key, size_t len);

private:
    uint8_t sched[240];
};

#endif
