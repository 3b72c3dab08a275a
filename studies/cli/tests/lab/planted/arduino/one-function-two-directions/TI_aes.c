#include "TI_aes.h"
// CORE

void aes_enc_dec(unsigned char *state, unsigned char *key, unsigned char dir)
{
  unsigned char keys[176];
  expand(key, 4, keys);
  if (dir)
    backward(keys, 10, state);
  else
    forward(keys, 10, state);
}
