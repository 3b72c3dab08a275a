#include "micro_aes.h"
// CORE

enum { Rounds = AES___ / 32 + 6 };
static uint8_t RoundKey[16 * (Rounds + 1)];

/* The last block is filled with zeros. */
void AES_ECB_encrypt(const uint8_t* key, const void* pntxt, const size_t ptextLen, void* crtxt)
{
    uint8_t* y = crtxt;
    size_t n = ptextLen / 16;
    memcpy(crtxt, pntxt, ptextLen);
    expand(key, AES___ / 32, RoundKey);
    for (; n; n--, y += 16)
        forward(RoundKey, Rounds, y);
    if (ptextLen % 16) {
        memset(y + ptextLen % 16, 0, 16 - ptextLen % 16);
        forward(RoundKey, Rounds, y);
    }
}

char AES_ECB_decrypt(const uint8_t* key, const void* crtxt, const size_t crtxtLen, void* pntxt)
{
    uint8_t* y = pntxt;
    memcpy(pntxt, crtxt, crtxtLen);
    expand(key, AES___ / 32, RoundKey);
    for (size_t n = crtxtLen / 16; n; n--, y += 16)
        backward(RoundKey, Rounds, y);
    return crtxtLen % 16 ? 0x1D : 0;
}

char AES_CBC_encrypt(const uint8_t* key, const block_t iVec, const void* pntxt, const size_t ptextLen, void* crtxt)
{
    const uint8_t* iv = iVec;
    uint8_t* y = crtxt;
    if (ptextLen % 16)
        return 0x1E;
    memcpy(crtxt, pntxt, ptextLen);
    expand(key, AES___ / 32, RoundKey);
    for (size_t n = ptextLen / 16; n; n--, y += 16) {
        add(y, iv);
        forward(RoundKey, Rounds, y);
        iv = y;
    }
    return 0;
}

char AES_CBC_decrypt(const uint8_t* key, const block_t iVec, const void* crtxt, const size_t crtxtLen, void* pntxt)
{
    const uint8_t *iv = iVec, *x = crtxt;
    uint8_t* y = pntxt;
    if (crtxtLen % 16)
        return 0x1E;
    expand(key, AES___ / 32, RoundKey);
    for (size_t n = crtxtLen / 16; n; n--, x += 16, y += 16) {
        memcpy(y, x, 16);
        backward(RoundKey, Rounds, y);
        add(y, iv);
        iv = x;
    }
    return 0;
}
