/*
 * AES decryption of one block with the whole key schedule in RAM: the inverse cipher
 * [FIPS197, 5.3]. It uses the round keys of encryption from last to first.
 */
#include "aes_sliced.h"
#include "aes_state.h"

#if SELO_AES_TABLES && !SELO_AES_WORDS && !SELO_NATIVE_AES

void selo_aes_fast_decrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds)
{
    uint8_t s[16];

    round_keys += 16 * rounds;
    aes_copy(s, in);
    aes_add_round_key(s, round_keys);
    for (;;) {
        round_keys -= 16;
        aes_inverse_substitute_and_shift(s);
        aes_add_round_key(s, round_keys);
        if (--rounds == 0) {
            break;
        }
        aes_inverse_mix_columns(s);
    }
    aes_copy(out, s);
}

#endif

void selo_aes128_fast_decrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    aes_decrypt(((const struct selo_aes128_fast *)key)->round_keys, out, in, 10);
}

void selo_aes192_fast_decrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    aes_decrypt(((const struct selo_aes192_fast *)key)->round_keys, out, in, 12);
}

void selo_aes256_fast_decrypt(const void *key, uint8_t out[16], const uint8_t in[16])
{
    aes_decrypt(((const struct selo_aes256_fast *)key)->round_keys, out, in, 14);
}

#if SELO_CIPHER_TWO

/* Two blocks of 16 bytes; only code without tables gains from that. */
static void decrypt_two(const uint8_t *round_keys, uint8_t out[32], const uint8_t in[32],
                        uint8_t rounds)
{
#if SELO_AES_TABLES
    aes_decrypt(round_keys, out, in, rounds);
    aes_decrypt(round_keys, out + 16, in + 16, rounds);
#else
    selo_aes_sliced_decrypt_two(round_keys, out, in, rounds);
#endif
}

void selo_aes128_fast_decrypt_two(const void *key, uint8_t out[32], const uint8_t in[32])
{
    decrypt_two(((const struct selo_aes128_fast *)key)->round_keys, out, in, 10);
}

void selo_aes192_fast_decrypt_two(const void *key, uint8_t out[32], const uint8_t in[32])
{
    decrypt_two(((const struct selo_aes192_fast *)key)->round_keys, out, in, 12);
}

void selo_aes256_fast_decrypt_two(const void *key, uint8_t out[32], const uint8_t in[32])
{
    decrypt_two(((const struct selo_aes256_fast *)key)->round_keys, out, in, 14);
}

#endif
