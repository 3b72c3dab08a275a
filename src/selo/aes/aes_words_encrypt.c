/* AES encryption of one block with the whole key schedule, a column at a time [FIPS197, 5.1]. */
#include "aes_words.h"

#if SELO_AES_WORDS && !SELO_NATIVE_AES_ENCRYPT

/* A column after SubBytes, ShiftRows and MixColumns, before the round key. The table has the column
 * of a byte in row 0. That of another row is the same, rotated by as many bytes. */
SELO_INLINE uint32_t column(uint32_t row0, uint32_t row1, uint32_t row2, uint32_t row3)
{
    uint32_t sum = selo_aes_columns[row3 >> 24];

    sum = selo_aes_columns[row2 >> 16 & 0xff] ^ selo_rotate_right(sum, 24);
    sum = selo_aes_columns[row1 >> 8 & 0xff] ^ selo_rotate_right(sum, 24);
    return selo_aes_columns[row0 & 0xff] ^ selo_rotate_right(sum, 24);
}

/* to = a round of from. */
SELO_INLINE void one_round(uint32_t to[4], const uint32_t from[4], const uint8_t *key)
{
    to[0] = column(from[0], from[1], from[2], from[3]) ^ aes_key_word(key);
    to[1] = column(from[1], from[2], from[3], from[0]) ^ aes_key_word(key + 4);
    to[2] = column(from[2], from[3], from[0], from[1]) ^ aes_key_word(key + 8);
    to[3] = column(from[3], from[0], from[1], from[2]) ^ aes_key_word(key + 12);
}

static SELO_STACK_APART void encrypt(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                                     uint8_t rounds)
{
    uint32_t s[4], t[4];

    aes_load_columns(s, in);
    aes_add_key_words(s, key);
    for (;;) {
        one_round(t, s, key + 16);
        key += 32;
        rounds = (uint8_t)(rounds - 2);
        if (rounds == 0) {
            break;
        }
        one_round(s, t, key);
    }
    for (uint8_t i = 0; i < 4; i++) { /* the last round has no MixColumns */
        s[i] = aes_substitute_column(selo_aes_sbox, t[i], t[(i + 1) & 3], t[(i + 2) & 3],
                                     t[(i + 3) & 3]);
    }
    aes_add_key_words(s, key);
    aes_store_columns(out, s);
}

void selo_aes_fast_encrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds)
{
    aes_words_call(encrypt, round_keys, out, in, rounds);
}

#endif
