/*
 * AES small keeps the first Nk words of the key schedule, which are the key, and the Nk words that
 * would follow its end, where decryption starts [FIPS197, 5.2]. w[i] is in slot i modulo Nk.
 */
#include "aes.h"

#if SELO_AES_TABLES && !SELO_NATIVE_AES

void selo_aes_small_setup(uint8_t *first, uint8_t *last, const uint8_t *raw, uint8_t key_size)
{
    struct aes_window window;
    uint8_t steps = (uint8_t)(key_size / 2 + 14); /* 4 (Nk + 7) words, two in each step */

    for (uint8_t i = 0; i < key_size; i++) {
        first[i] = window.words[i] = raw[i];
    }
    window.key_size = key_size;
    window.position = 0;
    window.fresh = 0;
    window.constant = 1;
    do {
        (void)selo_aes_window_next(&window);
    } while (--steps != 0);
    for (uint8_t i = 0; i < key_size; i++) {
        last[i] = window.words[i];
    }
    selo_wipe(window.words, key_size);
}

#endif

void selo_aes128_small_setup(struct selo_aes128_small *key, const uint8_t raw[16])
{
    aes_small_setup(key->first, key->last, raw, 16);
}

void selo_aes192_small_setup(struct selo_aes192_small *key, const uint8_t raw[24])
{
    aes_small_setup(key->first, key->last, raw, 24);
}

void selo_aes256_small_setup(struct selo_aes256_small *key, const uint8_t raw[32])
{
    aes_small_setup(key->first, key->last, raw, 32);
}
