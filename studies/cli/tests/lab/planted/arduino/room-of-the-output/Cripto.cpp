#include "Cripto.h"
// CORE

namespace cripto {

AES::AES(KeySize size, Mode mode) : _size(size), _mode(mode) {}

bool AES::setKey(const uint8_t *key, size_t length)
{
    if (length != (size_t)_size)
        return false;
    expand(key, length / 4, _keys);
    return true;
}

bool AES::setIV(const uint8_t *iv, size_t length)
{
    if (length != 16)
        return false;
    memcpy(_iv, iv, 16);
    return true;
}

size_t AES::encrypt(const uint8_t *plain, size_t length, uint8_t *cipher, size_t max)
{
    size_t total = length + 16 - length % 16;
    if (total > max)
        return 0;
    memmove(cipher, plain, length);
    memset(cipher + length, total - length, total - length);
    for (size_t at = 0; at < total; at += 16) {
        if (_mode == Mode::CBC)
            add(cipher + at, _iv);
        forward(_keys, (uint8_t)_size / 4 + 6, cipher + at);
        memcpy(_iv, cipher + at, 16);
    }
    return total;
}

size_t AES::decrypt(const uint8_t *cipher, size_t length, uint8_t *plain, size_t max)
{
    uint8_t next[16];
    if (length > max || length % 16)
        return 0;
    for (size_t at = 0; at < length; at += 16) {
        memcpy(next, cipher + at, 16);
        memmove(plain + at, cipher + at, 16);
        backward(_keys, (uint8_t)_size / 4 + 6, plain + at);
        if (_mode == Mode::CBC)
            add(plain + at, _iv);
        memcpy(_iv, next, 16);
    }
    return length - plain[length - 1];
}

}
