#include "AES128.h"

#include "box.h"

bool AES128::setKey(const uint8_t *key, size_t size)
{
    if (size != 16) {
        Serial.println(F("AES128: the key must have 16 bytes"));
        return false;
    }
    byte constant = 1;
    memcpy(roundKeys[0], key, 16);
    for (byte round = 1; round <= 10; round++) {
        const byte *old = roundKeys[round - 1];
        byte *now = roundKeys[round];
        for (byte i = 0; i < 16; i++) {
            byte before = i < 4 ? box[old[12 + (i + 1) % 4]] : now[i - 4];
            now[i] = old[i] ^ before ^ (i == 0 ? constant : 0);
        }
        constant = (byte)(constant << 1) ^ (bitRead(constant, 7) ? 0x1b : 0);
    }
    return true;
}

static byte twice(byte value)
{
    return (byte)(value << 1) ^ (byte)(bitRead(value, 7) * 0x1b);
}

void AES128::encryptBlock(uint8_t *output, const uint8_t *input)
{
    byte state[16], next[16];
    for (byte i = 0; i < 16; i++)
        state[i] = input[i] ^ roundKeys[0][i];
    for (byte round = 1; round <= 10; round++) {
        for (byte i = 0; i < 16; i++)
            next[i] = box[state[(i + 4 * (i % 4)) % 16]];
        for (byte i = 0; i < 16; i++) {
            const byte *column = next + (i & 12);
            byte a = column[i % 4], b = column[(i + 1) % 4];
            byte mixed = twice(a) ^ twice(b) ^ b ^ column[(i + 2) % 4] ^ column[(i + 3) % 4];
            state[i] = (round < 10 ? mixed : a) ^ roundKeys[round][i];
        }
    }
    memcpy(output, state, 16);
}

void AES128::encryptCBC(uint8_t *output, const uint8_t *input, size_t size, const uint8_t *iv)
{
    byte chain[16];
    memcpy(chain, iv, 16);
    for (size_t at = 0; at < size; at += 16) {
        for (byte i = 0; i < 16; i++)
            chain[i] ^= input[at + i];
        encryptBlock(chain, chain);
        memcpy(output + at, chain, 16);
    }
}
