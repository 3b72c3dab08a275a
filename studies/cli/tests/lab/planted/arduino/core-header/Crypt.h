#ifndef _CRYPT_H_
#define _CRYPT_H_

#include <stdint.h>
#include <WString.h>

extern const uint8_t userkey[16];

void AES_ECB_encrypt(const uint8_t* input, const uint8_t* key, uint8_t *output, const uint32_t length);
void AES_ECB_decrypt(const uint8_t* input, const uint8_t* key, uint8_t *output, const uint32_t length);
String wrap(String str);
String unwrap(String str);

#endif
