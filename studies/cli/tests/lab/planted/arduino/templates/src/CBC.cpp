#include "CBC.h"
#include <string.h>

CBCCommon::CBCCommon() : blockCipher(0) {}
CBCCommon::~CBCCommon() {}
size_t CBCCommon::keySize() const { return blockCipher->keySize(); }
size_t CBCCommon::ivSize() const { return 16; }
bool CBCCommon::setKey(const uint8_t *key, size_t len) { return blockCipher->setKey(key, len); }

bool CBCCommon::setIV(const uint8_t *iv, size_t len)
{
    if (len != 16)
        return false;
    memcpy(this->iv, iv, 16);
    return true;
}

void CBCCommon::encrypt(uint8_t *output, const uint8_t *input, size_t len)
{
    while (len >= 16) {
        for (uint8_t i = 0; i < 16; i++)
            iv[i] ^= *input++;
        blockCipher->encryptBlock(iv, iv);
        for (uint8_t i = 0; i < 16; i++)
            *output++ = iv[i];
        len -= 16;
    }
}

void CBCCommon::decrypt(uint8_t *output, const uint8_t *input, size_t len)
{
    while (len >= 16) {
        blockCipher->decryptBlock(temp, input);
        for (uint8_t i = 0; i < 16; i++) {
            uint8_t in = *input++;
            *output++ = temp[i] ^ iv[i];
            iv[i] = in;
        }
        len -= 16;
    }
}

void CBCCommon::clear() { blockCipher->clear(); }
