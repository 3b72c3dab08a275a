#include "Rijndael.h"
// CORE

static unsigned char words_of(enum RIJNDAEL_SIZE size) { return 4 + 2 * (unsigned char)size; }

// A short key is repeated.
void Expand_Keys(enum RIJNDAEL_SIZE size, const unsigned char *key, const int keylen, unsigned char *keys)
{
    unsigned char whole[32];
    for (int i = 0; i < 4 * words_of(size); i++)
        whole[i] = key[i % keylen];
    expand(whole, words_of(size), keys);
}

void Encrypt(enum RIJNDAEL_SIZE size, const unsigned char *plain, const int length, const unsigned char *keys, unsigned char *cipher)
{
    for (int at = 0; at < length; at += 16) {
        memmove(cipher + at, plain + at, 16);
        forward(keys, words_of(size) + 6, cipher + at);
    }
}

void Decrypt(enum RIJNDAEL_SIZE size, const unsigned char *cipher, const int length, const unsigned char *keys, unsigned char *plain)
{
    for (int at = 0; at < length; at += 16) {
        memmove(plain + at, cipher + at, 16);
        backward(keys, words_of(size) + 6, plain + at);
    }
}
