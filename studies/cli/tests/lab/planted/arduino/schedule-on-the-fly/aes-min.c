#include "aes-min.h"
// CORE

void aes128_key_schedule(uint8_t p_key_schedule[AES128_KEY_SCHEDULE_SIZE], const uint8_t p_key[AES128_KEY_SIZE])
{
    expand(p_key, 4, p_key_schedule);
}

void aes128_encrypt(uint8_t p_block[AES_BLOCK_SIZE], const uint8_t p_key_schedule[AES128_KEY_SCHEDULE_SIZE])
{
    forward(p_key_schedule, 10, p_block);
}

void aes128_decrypt(uint8_t p_block[AES_BLOCK_SIZE], const uint8_t p_key_schedule[AES128_KEY_SCHEDULE_SIZE])
{
    backward(p_key_schedule, 10, p_block);
}

void aes128_otfks_encrypt(uint8_t p_block[AES_BLOCK_SIZE], uint8_t p_key[AES128_KEY_SIZE])
{
    uint8_t keys[AES128_KEY_SCHEDULE_SIZE];
    expand(p_key, 4, keys);
    forward(keys, 10, p_block);
    memcpy(p_key, keys + 160, 16);
}
