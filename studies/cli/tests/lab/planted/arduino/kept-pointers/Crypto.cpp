#include "Crypto.h"
// CORE

AES::AES() {}
void AES::Init() {}
void AES::SetIV(byte *piv) { m_piv = piv; }
void AES::SetKey(byte *pkey) { m_pkey = pkey; }
void AES::Encrypt(byte *in, int len, byte *out, int mode) { process(in, len, out, mode, true); }
void AES::Decrypt(byte *in, int len, byte *out, int mode) { process(in, len, out, mode, false); }

void AES::process(byte *in, int len, byte *out, int mode, bool encrypts)
{
    static byte keys[176], block[16];
    byte before[16], next[16];
    expand(m_pkey, 4, keys);
    memcpy(before, m_piv, 16);
    for (int at = 0; at < len; at += 16) {
        memcpy(block, in + at, 16);
        memcpy(next, block, 16);
        if (encrypts && mode == CRYPTO_CBC)
            add(block, before);
        if (encrypts)
            forward(keys, 10, block);
        else
            backward(keys, 10, block);
        if (!encrypts && mode == CRYPTO_CBC)
            add(block, before);
        memcpy(out + at, block, 16);
        memcpy(before, encrypts ? block : next, 16);
    }
}
