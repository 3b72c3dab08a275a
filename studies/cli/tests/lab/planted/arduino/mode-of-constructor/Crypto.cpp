#include "Crypto.h"
// CORE

AES::AES(const uint8_t *key, const uint8_t *iv, AES_MODE mode, CIPHER_MODE cipherMode)
{
  _rounds = mode == AES_MODE_128 ? 10 : 14;
  _cipherMode = cipherMode;
  expand(key, mode == AES_MODE_128 ? 4 : 8, _ks);
  memcpy(_iv, iv, 16);
}

int AES::getSize() { return _size; }
void AES::setSize(int size) { _size = size; }

void AES::encryptCBC(const uint8_t *in, uint8_t *out, int length)
{
  for (; length > 0; length -= 16, in += 16, out += 16) {
    add(_iv, in);
    forward(_ks, _rounds, _iv);
    memcpy(out, _iv, 16);
  }
}

void AES::decryptCBC(const uint8_t *in, uint8_t *out, int length)
{
  uint8_t next[16];
  for (; length > 0; length -= 16, in += 16, out += 16) {
    memcpy(next, in, 16);
    memcpy(out, in, 16);
    backward(_ks, _rounds, out);
    add(out, _iv);
    memcpy(_iv, next, 16);
  }
}

void AES::processNoPad(const uint8_t *in, uint8_t *out, int length)
{
  if (_cipherMode == CIPHER_ENCRYPT)
    encryptCBC(in, out, length);
  else
    decryptCBC(in, out, length);
}

void AES::process(const uint8_t *in, uint8_t *out, int length)
{
  if (_cipherMode != CIPHER_ENCRYPT) {
    decryptCBC(in, out, length);
    setSize(length - out[length - 1]);
    return;
  }
  uint8_t last[16];
  int whole = length / 16 * 16, left = length - whole;
  encryptCBC(in, out, whole);
  memcpy(last, in + whole, left);
  memset(last + left, 16 - left, 16 - left);
  encryptCBC(last, out + whole, 16);
  setSize(whole + 16);
}
