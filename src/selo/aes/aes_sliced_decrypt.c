/* AES decryption of one block without tables: the inverse cipher [FIPS197, 5.3]. */
#include "aes_sliced.h"

#if !SELO_AES_TABLES

#if !SELO_NATIVE_AES

/* The inverse of SubBytes' affine map without its constant, which round keys contain: bit i is
 * the sum of bits i + 2, i + 5 and i + 7 modulo 8 [FIPS197, 5.3.2]. */
static void inverse_affine(uint32_t q[8])
{
    const uint32_t q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
    const uint32_t q4 = q[4], q5 = q[5], q6 = q[6], q7 = q[7];

    q[0] = q2 ^ q5 ^ q7;
    q[1] = q3 ^ q6 ^ q0;
    q[2] = q4 ^ q7 ^ q1;
    q[3] = q5 ^ q0 ^ q2;
    q[4] = q6 ^ q1 ^ q3;
    q[5] = q7 ^ q2 ^ q4;
    q[6] = q0 ^ q3 ^ q5;
    q[7] = q1 ^ q4 ^ q6;
}

/* InvSubBytes: SubBytes is the affine map of the inverse in GF(2^8), so that inverse is SubBytes
 * and the inverse map, and InvSubBytes is that after the inverse map. */
static void inverse_substitute(uint32_t q[8])
{
    inverse_affine(q);
    selo_aes_sliced_substitute(q);
    inverse_affine(q);
}

static void decrypt(const uint8_t *round_keys, uint8_t *out, const uint8_t *in, uint8_t rounds,
                    uint8_t blocks)
{
    uint32_t q[8];

    round_keys += 16 * rounds;
    aes_sliced_load(q, in, blocks);
    aes_sliced_add_key(q, round_keys);
    for (;;) { /* rounds is even */
        aes_sliced_shift_twice(q);
        inverse_substitute(q);
        aes_sliced_add_key(q, round_keys -= 16);
        aes_sliced_inverse_mix(q, 1);
        inverse_substitute(q);
        aes_sliced_add_key(q, round_keys -= 16);
        rounds = (uint8_t)(rounds - 2);
        if (rounds == 0) {
            break;
        }
        aes_sliced_inverse_mix(q, 0);
    }
    aes_sliced_store(out, q, blocks);
}

void selo_aes_fast_decrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds)
{
    decrypt(round_keys, out, in, rounds, 1);
}

void selo_aes_sliced_decrypt_two(const uint8_t *round_keys, uint8_t out[32], const uint8_t in[32],
                                 uint8_t rounds)
{
    decrypt(round_keys, out, in, rounds, 2);
}

#endif

/* Without tables AES small keeps the key twice. */
void selo_aes_small_setup(uint8_t *first, uint8_t *last, const uint8_t *raw, uint8_t key_size)
{
    for (uint8_t i = 0; i < key_size; i++) {
        first[i] = last[i] = raw[i];
    }
}

void selo_aes_small_decrypt(const uint8_t *last, uint8_t out[16], const uint8_t in[16],
                            uint8_t key_size, uint8_t last_constant)
{
    uint8_t round_keys[240];

    (void)last_constant;
    selo_aes_sliced_setup(round_keys, last, key_size);
    selo_aes_fast_decrypt(round_keys, out, in, (uint8_t)(key_size / 4 + 6));
    selo_wipe(round_keys, sizeof round_keys);
}

#endif
