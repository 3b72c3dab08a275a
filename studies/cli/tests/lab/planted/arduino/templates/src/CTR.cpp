#include "CTR.h"
#include <string.h>

CTRCommon::CTRCommon() : blockCipher(0), posn(16), counterStart(0) {}
CTRCommon::~CTRCommon() {}
size_t CTRCommon::keySize() const { return blockCipher->keySize(); }
size_t CTRCommon::ivSize() const { return 16; }

bool CTRCommon::setCounterSize(size_t size)
{
    if (size < 1 || size > 16)
        return false;
    counterStart = 16 - size;
    return true;
}

bool CTRCommon::setKey(const uint8_t *key, size_t len)
{
    if (blockCipher->blockSize() != 16)
        return false;
    return blockCipher->setKey(key, len);
}

bool CTRCommon::setIV(const uint8_t *iv, size_t len)
{
    if (len != 16)
        return false;
    memcpy(counter, iv, 16);
    posn = 16;
    return true;
}

void CTRCommon::encrypt(uint8_t *output, const uint8_t *input, size_t len)
{
    while (len > 0) {
        if (posn >= 16) {
            blockCipher->encryptBlock(state, counter);
            posn = 0;
            uint16_t carry = 1;
            uint8_t index = 16;
            while (index > counterStart) {
                --index;
                carry += counter[index];
                counter[index] = (uint8_t)carry;
                carry >>= 8;
            }
        }
        *output++ = *input++ ^ state[posn++];
        --len;
    }
}

void CTRCommon::decrypt(uint8_t *output, const uint8_t *input, size_t len)
{
    encrypt(output, input, len);
}

void CTRCommon::clear() { blockCipher->clear(); }
