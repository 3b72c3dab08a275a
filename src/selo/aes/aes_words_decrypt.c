/* AES decryption of one block with the whole key schedule, a column at a time: the inverse cipher
 * [FIPS197, 5.3]. It uses the round keys of encryption from last to first. */
#include "aes_words.h"

#if SELO_AES_WORDS

/* InvShiftRows, InvSubBytes and AddRoundKey. */
SELO_INLINE void substitute(uint32_t to[4], const uint32_t from[4], const uint8_t *key)
{
    SELO_AES_TABLE uint8_t *const box = selo_aes_inverse_sbox;

    to[0] = aes_substitute_column(box, from[0], from[3], from[2], from[1]);
    to[1] = aes_substitute_column(box, from[1], from[0], from[3], from[2]);
    to[2] = aes_substitute_column(box, from[2], from[1], from[0], from[3]);
    to[3] = aes_substitute_column(box, from[3], from[2], from[1], from[0]);
    aes_add_key_words(to, key);
}

/* InvMixColumns of one column [FIPS197, 5.3.3]. Its polynomial is that of MixColumns times
 * (4x^2 + 5), so 4(a^c) and 4(b^d) are added first. MixColumns of a is then
 * 2(a^b) ^ b ^ c ^ d. */
SELO_INLINE uint32_t unmix(uint32_t x)
{
    uint32_t sum = aes_xtime_word(aes_xtime_word(x ^ selo_rotate_right(x, 16)));

    x ^= sum;
    sum = x ^ selo_rotate_right(x, 8);
    return aes_xtime_word(sum) ^ selo_rotate_right(x, 8) ^ selo_rotate_right(sum, 16);
}

static SELO_STACK_APART void decrypt(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                                     uint8_t rounds)
{
    uint32_t s[4], t[4];

    key += 16 * rounds;
    aes_load_columns(t, in);
    aes_add_key_words(t, key);
    for (;;) {
        key -= 16;
        substitute(s, t, key);
        if (--rounds == 0) { /* the last round has no InvMixColumns */
            break;
        }
        t[0] = unmix(s[0]), t[1] = unmix(s[1]), t[2] = unmix(s[2]), t[3] = unmix(s[3]);
    }
    aes_store_columns(out, s);
}

void selo_aes_fast_decrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds)
{
    aes_words_call(decrypt, round_keys, out, in, rounds);
}

#endif
