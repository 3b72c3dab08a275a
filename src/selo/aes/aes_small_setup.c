/*
 * AES small: the first Nk words of the key schedule, which are the key, and the
 * last Nk, where decryption starts [FIPS197, 5.2]. w[i] stands in slot i modulo Nk.
 */
#include "aes.h"

static void setup(uint8_t *first, uint8_t *last, const uint8_t *raw, uint8_t key_size)
{
    struct aes_window window;
    /* 4 (Nk + 7) words less the Nk of the key, 2 a step: 20, 23 or 26 steps */
    uint8_t steps = (uint8_t)(3 * (key_size / 8) + 14);

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

void selo_aes128_small_setup(struct selo_aes128_small *key, const uint8_t raw[16])
{
    setup(key->first, key->last, raw, 16);
}

void selo_aes192_small_setup(struct selo_aes192_small *key, const uint8_t raw[24])
{
    setup(key->first, key->last, raw, 24);
}

void selo_aes256_small_setup(struct selo_aes256_small *key, const uint8_t raw[32])
{
    setup(key->first, key->last, raw, 32);
}
