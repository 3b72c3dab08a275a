/*
 * AES key schedule in RAM [FIPS197, 5.2]: w[i] = w[i - Nk] ^ w[i - 1], where the key is Nk words of
 * 4 bytes. If Nk divides i, w[i - 1] is first rotated, substituted and combined with the round
 * constant. If Nk is 8 and i is 4 modulo 8, it is substituted. The loop makes one substituted
 * word and then `span` plain words.
 */
#include "aes_words.h"

#if SELO_AES_TABLES && !SELO_NATIVE_AES

#if SELO_AES_WIDE
#define setup selo_aes_wide_setup
#elif SELO_AES_WORDS
#define setup selo_aes_words_setup
#else

/* Expands raw[key_size] to round_keys[16 * (key_size / 4 + 7)]. */
static void setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size)
{
    const uint8_t *sbox = selo_aes_sbox;
    const uint8_t *old = round_keys; /* w[i - Nk] */
    uint8_t span = key_size == 24 ? 6 : 4; /* words from one substitution to the next */
    uint8_t left = (uint8_t)(key_size + 28 - key_size / 4); /* words to make: 4 (Nk + 7) - Nk */
    uint8_t constant = 1;
    uint8_t rotate = 1;
    uint8_t w0 = 0, w1 = 0, w2 = 0, w3 = 0; /* w[i - 1] */

    for (uint8_t i = key_size; i != 0; i = (uint8_t)(i - 4)) {
        w0 = raw[0], w1 = raw[1], w2 = raw[2], w3 = raw[3];
        round_keys[0] = w0, round_keys[1] = w1, round_keys[2] = w2, round_keys[3] = w3;
        raw += 4;
        round_keys += 4;
    }
    for (;;) {
        w0 = selo_flash_lookup(&sbox, w0);
        w1 = selo_flash_lookup(&sbox, w1);
        w2 = selo_flash_lookup(&sbox, w2);
        w3 = selo_flash_lookup(&sbox, w3);
        if (rotate) {
            uint8_t first = w0;
            w0 = w1 ^ constant, w1 = w2, w2 = w3, w3 = first;
            constant = aes_xtime(constant);
        }
        if (key_size == 32) {
            rotate ^= 1; /* 8 words: the substitution in the middle has no rotation */
        }
        for (uint8_t word = span; word != 0; word--) {
            w0 ^= old[0], w1 ^= old[1], w2 ^= old[2], w3 ^= old[3];
            round_keys[0] = w0, round_keys[1] = w1, round_keys[2] = w2, round_keys[3] = w3;
            old += 4;
            round_keys += 4;
            if (--left == 0) {
                return;
            }
        }
    }
}

#endif

#elif !SELO_AES_TABLES

#include "aes_sliced.h"

#define setup selo_aes_sliced_setup

#endif

#if !SELO_NATIVE_AES || !SELO_BACKEND_AVR

void selo_aes128_fast_setup(struct selo_aes128_fast *key, const uint8_t raw[16])
{
    setup(key->round_keys, raw, 16);
}

void selo_aes192_fast_setup(struct selo_aes192_fast *key, const uint8_t raw[24])
{
    setup(key->round_keys, raw, 24);
}

void selo_aes256_fast_setup(struct selo_aes256_fast *key, const uint8_t raw[32])
{
    setup(key->round_keys, raw, 32);
}

#endif
