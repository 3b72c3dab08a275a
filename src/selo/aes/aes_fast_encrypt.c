/* AES encryption of one block with the whole key schedule in RAM [FIPS197, 5.1]. */
#include "aes_sliced.h"
#include "aes_state.h"

#if SELO_AES_TABLES && !SELO_AES_WORDS && !SELO_NATIVE_AES && !SELO_NATIVE_AES_ENCRYPT

void selo_aes_fast_encrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds)
{
    uint8_t s[16];

    aes_copy(s, in);
    /* Load the whole block before the key: AVR has registers for one pointer at a time. */
    SELO_BARRIER();
    aes_add_half(s, round_keys);
    aes_add_half(s + 8, round_keys + 8);
    do {
        round_keys += 16;
        aes_substitute_and_shift(s);
        if (--rounds != 0) { /* the last round has no MixColumns */
            aes_mix_columns(s);
        }
        aes_add_half(s, round_keys);
        aes_add_half(s + 8, round_keys + 8);
    } while (rounds != 0);
    aes_copy(out, s);
}

#endif

void selo_aes128_fast_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    aes_encrypt(((const struct selo_aes128_fast *)key)->round_keys, out, in, 10);
}

void selo_aes192_fast_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    aes_encrypt(((const struct selo_aes192_fast *)key)->round_keys, out, in, 12);
}

void selo_aes256_fast_encrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    aes_encrypt(((const struct selo_aes256_fast *)key)->round_keys, out, in, 14);
}

#if SELO_CIPHER_TWO

/* Two blocks of 16 bytes; only code without tables gains from that. */
static void encrypt_two(const uint8_t *round_keys, uint8_t out[32], const uint8_t in[32],
                        uint8_t rounds)
{
#if SELO_AES_TABLES
    aes_encrypt(round_keys, out, in, rounds);
    aes_encrypt(round_keys, out + 16, in + 16, rounds);
#else
    selo_aes_sliced_encrypt_two(round_keys, out, in, rounds);
#endif
}

void selo_aes128_fast_encrypt_two(const void *key, uint8_t out[32], const uint8_t in[32])
{
    encrypt_two(((const struct selo_aes128_fast *)key)->round_keys, out, in, 10);
}

void selo_aes192_fast_encrypt_two(const void *key, uint8_t out[32], const uint8_t in[32])
{
    encrypt_two(((const struct selo_aes192_fast *)key)->round_keys, out, in, 12);
}

void selo_aes256_fast_encrypt_two(const void *key, uint8_t out[32], const uint8_t in[32])
{
    encrypt_two(((const struct selo_aes256_fast *)key)->round_keys, out, in, 14);
}

#endif
