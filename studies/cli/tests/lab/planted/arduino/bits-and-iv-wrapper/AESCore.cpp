#include "AESCore.h"
// CORE-PROGMEM

byte AESCore::set_key(byte key[], int keylen)
{
  if (keylen != 128 && keylen != 256)
    return 1;
  rounds = keylen / 32 + 6;
  expand(key, keylen / 32, keys);
  return 0;
}

void AESCore::cbc(byte *block, byte *iv)
{
  add(block, iv);
  forward(keys, rounds, block);
  memcpy(iv, block, 16);
}

void AESCore::uncbc(byte *block, byte *iv)
{
  byte next[16];
  memcpy(next, block, 16);
  backward(keys, rounds, block);
  add(block, iv);
  memcpy(iv, next, 16);
}
