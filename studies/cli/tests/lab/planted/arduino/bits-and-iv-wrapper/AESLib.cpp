#include "AESLib.h"

AESLib::AESLib() { padding = paddingMode::CMS; }
void AESLib::set_paddingmode(paddingMode mode) { padding = mode; }
paddingMode AESLib::get_paddingmode() { return padding; }

void AESLib::gen_iv(byte *iv)
{
  for (byte i = 0; i < 16; i++)
    iv[i] = (byte)random(0, 256);
}

uint16_t AESLib::get_cipher_length(uint16_t msg_len) { return (msg_len / 16 + 1) * 16; }

uint16_t AESLib::encrypt(const byte input[], uint16_t input_length, char *output, byte key[], int bits, byte my_iv[])
{
  uint16_t size = get_cipher_length(input_length);
  aes.set_key(key, bits);
  for (uint16_t at = 0; at < size; at += 16) {
    byte block[16];
    for (byte i = 0; i < 16; i++)
      block[i] = at + i < input_length ? input[at + i] : (byte)(size - input_length);
    aes.cbc(block, my_iv);
    memcpy(output + at, block, 16);
  }
  return size;
}

uint16_t AESLib::decrypt(byte input[], uint16_t input_length, char *output, byte key[], int bits, byte my_iv[])
{
  aes.set_key(key, bits);
  for (uint16_t at = 0; at < input_length; at += 16) {
    byte block[16];
    memcpy(block, input + at, 16);
    aes.uncbc(block, my_iv);
    memcpy(output + at, block, 16);
  }
  return input_length - (byte)output[input_length - 1];
}
