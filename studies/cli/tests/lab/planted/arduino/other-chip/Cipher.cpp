#include "Cipher.h"

Cipher::Cipher() {}
Cipher::Cipher(char * key) { setKey(key); }
void Cipher::setKey(char * key) { privateCipherKey = key; }

void Cipher::encrypt(char * plainText, char * key, unsigned char * outputBuffer) {
  mbedtls_aes_context aes;
  mbedtls_aes_init(&aes);
  mbedtls_aes_setkey_enc(&aes, (const unsigned char*)key, 128);
  mbedtls_aes_crypt_ecb(&aes, MBEDTLS_AES_ENCRYPT, (const unsigned char*)plainText, outputBuffer);
  mbedtls_aes_free(&aes);
}

void Cipher::decrypt(unsigned char * cipherText, char * key, unsigned char * outputBuffer) {
  mbedtls_aes_context aes;
  mbedtls_aes_init(&aes);
  mbedtls_aes_setkey_dec(&aes, (const unsigned char*)key, 128);
  mbedtls_aes_crypt_ecb(&aes, MBEDTLS_AES_DECRYPT, cipherText, outputBuffer);
  mbedtls_aes_free(&aes);
}
