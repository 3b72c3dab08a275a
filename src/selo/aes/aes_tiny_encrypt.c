/* AES encryption of one block. The key schedule is computed on the fly [FIPS197, 5.1, 5.2]. */
#include "aes_state.h"

#if SELO_AES_TABLES && !SELO_NATIVE_AES

void selo_aes_tiny_encrypt(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                           uint8_t key_size)
{
    uint8_t s[16];
    struct aes_window window;
    uint8_t rounds = (uint8_t)(key_size / 4 + 6);

    for (uint8_t i = 0; i < key_size; i++) {
        window.words[i] = key[i];
    }
    window.key_size = key_size;
    window.position = 0;
    window.fresh = key_size / 8;
    window.constant = 1;

    aes_copy(s, in);
    for (;;) {
        aes_add_half(s, selo_aes_window_next(&window));
        aes_add_half(s + 8, selo_aes_window_next(&window));
        if (rounds == 0) {
            break;
        }
        aes_substitute_and_shift(s);
        if (--rounds != 0) { /* the last round has no MixColumns */
            aes_mix_columns(s);
        }
    }
    aes_copy(out, s);
    selo_wipe(window.words, key_size);
}

#endif

void selo_aes128_tiny_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    selo_aes128_tiny_block(((const struct selo_aes128_tiny *)key)->key, out, in);
}

void selo_aes192_tiny_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    aes_encrypt_with_key(((const struct selo_aes192_tiny *)key)->key, out, in, 24);
}

void selo_aes256_tiny_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    aes_encrypt_with_key(((const struct selo_aes256_tiny *)key)->key, out, in, 32);
}
