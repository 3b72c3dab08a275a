#include <stdint.h>
#include <string.h>

#include "api.h"
#include "crypto_aead.h"

typedef unsigned long long message_size;

static uint64_t right(uint64_t word, int bits)
{
    return word >> bits | word << (64 - bits);
}

static void permute(uint64_t x[5], int rounds)
{
    for (int round = 12 - rounds; round < 12; round++) {
        uint64_t t[5];
        x[2] ^= (uint64_t)(0xf0 - 15 * round);
        x[0] ^= x[4];
        x[4] ^= x[3];
        x[2] ^= x[1];
        for (int i = 0; i < 5; i++)
            t[i] = x[i] ^ (~x[(i + 1) % 5] & x[(i + 2) % 5]);
        t[1] ^= t[0];
        t[0] ^= t[4];
        t[3] ^= t[2];
        t[2] = ~t[2];
        x[0] = t[0] ^ right(t[0], 19) ^ right(t[0], 28);
        x[1] = t[1] ^ right(t[1], 61) ^ right(t[1], 39);
        x[2] = t[2] ^ right(t[2], 1) ^ right(t[2], 6);
        x[3] = t[3] ^ right(t[3], 10) ^ right(t[3], 17);
        x[4] = t[4] ^ right(t[4], 7) ^ right(t[4], 41);
    }
}

static uint64_t load(const uint8_t *from, unsigned bytes)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < bytes; i++)
        word |= (uint64_t)from[i] << (8 * i);
    return word;
}

static void store(uint8_t *to, uint64_t word, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(word >> (8 * i));
}

static void start(uint64_t x[5], const uint8_t *ad, unsigned long long adlen, const uint8_t *nonce,
                  const uint8_t *key)
{
    x[0] = 0x00001000808c0001;
    x[1] = load(key, 8);
    x[2] = load(key + 8, 8);
    x[3] = load(nonce, 8);
    x[4] = load(nonce + 8, 8);
    permute(x, 12);
    x[3] ^= load(key, 8);
    x[4] ^= load(key + 8, 8);
    for (unsigned long long at = 0; adlen != 0 && at <= adlen; at += 8) {
        unsigned now = adlen - at < 8 ? (unsigned)(adlen - at) : 8;
        x[at / 8 % 2] ^= load(ad + at, now) ^ (now < 8 ? (uint64_t)1 << (8 * now) : 0);
        if (now < 8 || at / 8 % 2 == 1)
            permute(x, 8);
    }
    x[4] ^= (uint64_t)1 << 63;
}

/* Encrypts or decrypts the message, and gives the tag. */
static void process(uint64_t x[5], uint8_t *out, const uint8_t *in, message_size size, int decrypts,
                    const uint8_t *key, uint8_t tag[16])
{
    for (message_size at = 0;; at += 8) {
        uint64_t *lane = &x[at / 8 % 2];
        unsigned now = size - at < 8 ? (unsigned)(size - at) : 8;
        uint64_t mask = now < 8 ? ((uint64_t)1 << (8 * now)) - 1 : ~(uint64_t)0;
        uint64_t word = load(in + at, now), other = (*lane ^ word) & mask;
        *lane ^= decrypts ? other : word;
        store(out + at, other, now);
        if (now < 8) {
            *lane ^= (uint64_t)1 << (8 * now);
            break;
        }
        if (at / 8 % 2 == 1)
            permute(x, 8);
    }
    x[2] ^= load(key, 8);
    x[3] ^= load(key + 8, 8);
    permute(x, 12);
    store(tag, x[3] ^ load(key, 8), 8);
    store(tag + 8, x[4] ^ load(key + 8, 8), 8);
}

int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
                        unsigned long long mlen, const unsigned char *ad, unsigned long long adlen,
                        const unsigned char *nsec, const unsigned char *npub, const unsigned char *k)
{
    uint64_t x[5];
    (void)nsec;
    start(x, ad, adlen, npub, k);
    process(x, c, m, (message_size)mlen, 0, k, c + mlen);
    *clen = mlen + CRYPTO_ABYTES;
    return 0;
}

int crypto_aead_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
                        const unsigned char *c, unsigned long long clen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *npub, const unsigned char *k)
{
    uint64_t x[5];
    uint8_t tag[16], differs = 0;
    (void)nsec;
    if (clen < CRYPTO_ABYTES)
        return -1;
    *mlen = clen - CRYPTO_ABYTES;
    start(x, ad, adlen, npub, k);
    process(x, m, c, (message_size)*mlen, 1, k, tag);
    for (int i = 0; i < 16; i++)
        differs |= tag[i] ^ c[*mlen + i];
    if (differs != 0) {
        memset(m, 0, *mlen);
        return -1;
    }
    return 0;
}
