#include "aes.h"
// CORE

void aes_key_setup(const BYTE key[], WORD w[], int keysize)
{
	expand(key, keysize / 32, (BYTE *)w);
}

void aes_encrypt(const BYTE in[], BYTE out[], const WORD key[], int keysize)
{
	BYTE state[16];
	memcpy(state, in, 16);
	forward((const BYTE *)key, keysize / 32 + 6, state);
	memcpy(out, state, 16);
}

void aes_decrypt(const BYTE in[], BYTE out[], const WORD key[], int keysize)
{
	BYTE state[16];
	memcpy(state, in, 16);
	backward((const BYTE *)key, keysize / 32 + 6, state);
	memcpy(out, state, 16);
}

int aes_encrypt_cbc(const BYTE in[], size_t in_len, BYTE out[], const WORD key[], int keysize, const BYTE iv[])
{
	BYTE buf[AES_BLOCK_SIZE];
	if (in_len % AES_BLOCK_SIZE != 0)
		return 0;
	memcpy(buf, iv, AES_BLOCK_SIZE);
	for (size_t at = 0; at < in_len; at += AES_BLOCK_SIZE) {
		add(buf, in + at);
		aes_encrypt(buf, buf, key, keysize);
		memcpy(out + at, buf, AES_BLOCK_SIZE);
	}
	return 1;
}
