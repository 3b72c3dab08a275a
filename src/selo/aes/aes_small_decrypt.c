/*
 * AES decryption of one block. The key schedule is computed on the fly, from its end backwards
 * [FIPS197, 5.2, 5.3].
 */
#include "aes_state.h"

#if SELO_AES_TABLES && !SELO_NATIVE_AES

void selo_aes_small_decrypt(const uint8_t *last, uint8_t out[16], const uint8_t in[16],
                            uint8_t key_size, uint8_t last_constant)
{
    uint8_t s[16];
    struct aes_window window;
    uint8_t rounds = (uint8_t)(key_size / 4 + 6);

    for (uint8_t i = 0; i < key_size; i++) {
        window.words[i] = last[i];
    }
    window.key_size = key_size;
    window.position = 8; /* 44, 52 and 60 words are 4 more than a multiple of 4, 6 and 8 */
    window.constant = last_constant;

    aes_copy(s, in);
    aes_add_half(s + 8, selo_aes_window_previous(&window));
    aes_add_half(s, selo_aes_window_previous(&window));
    for (;;) {
        aes_inverse_substitute_and_shift(s);
        aes_add_half(s + 8, selo_aes_window_previous(&window));
        aes_add_half(s, selo_aes_window_previous(&window));
        if (--rounds == 0) {
            break;
        }
        aes_inverse_mix_columns(s);
    }
    aes_copy(out, s);
    selo_wipe(window.words, key_size);
}

#endif

#if SELO_AES_WIDE
#define DECRYPT(key, bits, size, last_constant) \
    selo_aes_wide_decrypt_with_key(((const struct selo_aes##bits##_small *)key)->first, out, in, size)
#else
#define DECRYPT(key, bits, size, last_constant) \
    selo_aes_small_decrypt(((const struct selo_aes##bits##_small *)key)->last, out, in, size, \
                           last_constant)
#endif

void selo_aes128_small_decrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    DECRYPT(key, 128, 16, 0x6c);
}

void selo_aes192_small_decrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    DECRYPT(key, 192, 24, 0x1b);
}

void selo_aes256_small_decrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    DECRYPT(key, 256, 32, 0x80);
}
