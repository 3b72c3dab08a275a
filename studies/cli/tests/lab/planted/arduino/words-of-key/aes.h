#ifndef AES_H
#define AES_H

#include <stddef.h>

#define AES_BLOCK_SIZE 16

typedef unsigned char BYTE;
typedef unsigned long WORD;

void aes_key_setup(const BYTE key[], WORD w[], int keysize);
void aes_encrypt(const BYTE in[], BYTE out[], const WORD key[], int keysize);
void aes_decrypt(const BYTE in[], BYTE out[], const WORD key[], int keysize);
int aes_encrypt_cbc(const BYTE in[], size_t in_len, BYTE out[], const WORD key[], int keysize, const BYTE iv[]);

#endif
