/* AES encryption of one block or two without tables [FIPS197, 5.1], as aes_sliced.h explains. */
#include "aes_sliced.h"

#if !SELO_AES_TABLES

#if !SELO_NATIVE_AES

static void encrypt(const uint8_t *round_keys, uint8_t *out, const uint8_t *in, uint8_t rounds,
                    uint8_t blocks)
{
    uint32_t q[8];

    aes_sliced_load(q, in, blocks);
    aes_sliced_add_key(q, round_keys);
    for (;;) {
        round_keys += 16;
        selo_aes_sliced_substitute(q);
        if (--rounds % 2 != 0) {
            aes_sliced_mix(q, 1);
        } else {
            aes_sliced_shift_twice(q);
            if (rounds == 0) { /* the last round has no MixColumns */
                break;
            }
            aes_sliced_mix(q, 0);
        }
        aes_sliced_add_key(q, round_keys);
    }
    aes_sliced_add_key(q, round_keys);
    aes_sliced_store(out, q, blocks);
}

void selo_aes_fast_encrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds)
{
    encrypt(round_keys, out, in, rounds, 1);
}

void selo_aes_sliced_encrypt_two(const uint8_t *round_keys, uint8_t out[32], const uint8_t in[32],
                                 uint8_t rounds)
{
    encrypt(round_keys, out, in, rounds, 2);
}

#endif

void selo_aes_tiny_encrypt(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                           uint8_t key_size)
{
    uint8_t round_keys[240];

    selo_aes_sliced_setup(round_keys, key, key_size);
    selo_aes_fast_encrypt(round_keys, out, in, (uint8_t)(key_size / 4 + 6));
    selo_wipe(round_keys, sizeof round_keys);
}

#endif
