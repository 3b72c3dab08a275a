#include "AES.h"
#include <Arduino.h>
// CORE-PROGMEM

AESCommon::AESCommon() : rounds(0), schedule(0) {}
AESCommon::~AESCommon() {}
size_t AESCommon::blockSize() const { return 16; }

void AESCommon::encryptBlock(uint8_t *output, const uint8_t *input)
{
    uint8_t state[16];
    memcpy(state, input, 16);
    forward(schedule, rounds, state);
    memcpy(output, state, 16);
}

void AESCommon::decryptBlock(uint8_t *output, const uint8_t *input)
{
    uint8_t state[16];
    memcpy(state, input, 16);
    backward(schedule, rounds, state);
    memcpy(output, state, 16);
}

void AESCommon::clear() { memset(schedule, 0, (rounds + 1) * 16); }

AES128::AES128()
{
    rounds = 10;
    schedule = sched;
}
AES128::~AES128() { clear(); }
size_t AES128::keySize() const { return 16; }
bool AES128::setKey(const uint8_t *key, size_t len)
{
    if (len != 16)
        return false;
    expand(key, 4, schedule);
    return true;
}

AES256::AES256()
{
    rounds = 14;
    schedule = sched;
}
AES256::~AES256() { clear(); }
size_t AES256::keySize() const { return 32; }
bool AES256::setKey(const uint8_t *key, size_t len)
{
    if (len != 32)
        return false;
    expand(key, 8, schedule);
    return true;
}
