#include "AesCbc.h"
// CORE

AesCbc::AesCbc(const uint8_t key[16]) { expand(key, 4, keys); }
void AesCbc::setIV(const uint8_t iv[16]) { memcpy(before, iv, 16); }

void AesCbc::encrypt(uint8_t *buf, size_t len)
{
    for (size_t at = 0; at < len; at += 16) {
        add(buf + at, before);
        forward(keys, 10, buf + at);
        memcpy(before, buf + at, 16);
    }
}

void AesCbc::decrypt(uint8_t *buf, size_t len)
{
    uint8_t next[16];
    for (size_t at = 0; at < len; at += 16) {
        memcpy(next, buf + at, 16);
        backward(keys, 10, buf + at);
        add(buf + at, before);
        memcpy(before, next, 16);
    }
}
