#include "aes.h"
// CORE

static uint8_t RoundKey[176];
static uint8_t* Iv;

void AES128_ECB_encrypt(uint8_t* input, const uint8_t* key, uint8_t* output)
{
  memcpy(output, input, 16);
  expand(key, 4, RoundKey);
  forward(RoundKey, 10, output);
}

void AES128_ECB_decrypt(uint8_t* input, const uint8_t* key, uint8_t* output)
{
  memcpy(output, input, 16);
  expand(key, 4, RoundKey);
  backward(RoundKey, 10, output);
}

void AES128_CBC_encrypt_buffer(uint8_t* output, uint8_t* input, uint32_t length, const uint8_t* key, const uint8_t* iv)
{
  if (0 != key)
    expand(key, 4, RoundKey);
  if (iv != 0)
    Iv = (uint8_t*)iv;
  for (uint32_t i = 0; i < length; i += 16)
  {
    add(input, Iv);
    memcpy(output, input, 16);
    forward(RoundKey, 10, output);
    Iv = output;
    input += 16;
    output += 16;
  }
}

void AES128_CBC_decrypt_buffer(uint8_t* output, uint8_t* input, uint32_t length, const uint8_t* key, const uint8_t* iv)
{
  if (0 != key)
    expand(key, 4, RoundKey);
  if (iv != 0)
    Iv = (uint8_t*)iv;
  for (uint32_t i = 0; i < length; i += 16)
  {
    memcpy(output, input, 16);
    backward(RoundKey, 10, output);
    add(output, Iv);
    Iv = input;
    input += 16;
    output += 16;
  }
}
