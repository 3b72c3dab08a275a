#ifndef AES_MATRIX_H
#define AES_MATRIX_H

#include <Arduino.h>

/* state[row][column], as in FIPS 197 */
void aes_encrypt_state(uint8_t state[4][4], const uint8_t key[16]);
void aes_decrypt_state(uint8_t state[4][4], const uint8_t key[16]);

#endif
