#ifndef CRYPTO_H
#define CRYPTO_H

#include "Arduino.h"

#define CRYPTO_CBC 0
#define CRYPTO_ECB 1

// Keys and IVs of 16 bytes; the object points to the caller's.
class AES
{
  public:
    AES();
    void Init();
    void SetIV(byte *piv);
    void SetKey(byte *pkey);
    void Encrypt(byte *pplaintext, int len, byte *poutput, int mode);
    void Decrypt(byte *pciphertext, int len, byte *poutput, int mode);

  private:
    byte *m_piv;
    byte *m_pkey;
    void process(byte *in, int len, byte *out, int mode, bool encrypts);
};

#endif
