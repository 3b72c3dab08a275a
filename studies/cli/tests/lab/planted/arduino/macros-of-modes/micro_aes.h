#ifndef MICRO_AES_H_
#define MICRO_AES_H_

#ifndef AES___
#define AES___     128
#endif
#define BLOCKCIPHERS 1
#define CBC        1
#define CTR        1
#define CTS        0
#define AES_KEYLENGTH (AES___ / 8)

#include <string.h>
#include <stdint.h>

typedef uint8_t block_t[16];

#ifdef __cplusplus
extern "C" {
#endif

void AES_ECB_encrypt(const uint8_t* key, const void* pntxt, const size_t ptextLen, void* crtxt);
char AES_ECB_decrypt(const uint8_t* key, const void* crtxt, const size_t crtxtLen, void* pntxt);
char AES_CBC_encrypt(const uint8_t* key, const block_t iVec, const void* pntxt, const size_t ptextLen, void* crtxt);
char AES_CBC_decrypt(const uint8_t* key, const block_t iVec, const void* crtxt, const size_t crtxtLen, void* pntxt);

#ifdef __cplusplus
}
#endif
#endif
