/*
 * Sums and differences in the field of P-256, with a small factor.
 *
 * For a negative factor -k the complement of b is added k times: -k b = k ~b + k - k 2^256. A sum is
 * then s + q 2^256 with a small q, of either sign. As 2^256 = p + e with e = 2^224 - 2^192 - 2^96 + 1,
 * it is s + q e modulo p. If that does not fit, q is one too few, or too many. The top 32 bits of s
 * decide it: s + q e is below 2^256 and not negative exactly if top + q has 32 bits and no sign,
 * or both q + 1, or q - 1, and q are right.
 */
#include "field.h"
#include "field_word.h"

/* What 2^256 q is replaced by: how many times e is added. top is the top 32 bits of s. */
static int8_t times_e(uint32_t top, int8_t q)
{
    const uint32_t negative = (uint8_t)q >> 7;
    const uint32_t sum = top + ((uint8_t)q | (0 - negative) << 8);
    const uint32_t over = (top & ~sum) >> 31 & (negative ^ 1);
    const uint32_t under = (~top & sum) >> 31 & negative;

    return (int8_t)(q + (int8_t)over - (int8_t)under);
}

/* r = s + c e, where the sum has no carry beyond the words. */
static void add_e(uint8_t r[32], const word_t s[WORDS], int8_t c)
{
    const wide_t plus = (wide_t)(int32_t)c, minus = (wide_t)((wide_t)0 - plus);
    wide_t carry = 0; /* of either sign */

    for (uint8_t i = 0; i < WORDS; i++) {
        wide_t sum = (wide_t)(carry + s[i]);
        if (i == 0 || i == AT_224) {
            sum = (wide_t)(sum + plus);
        } else if (i == AT_96 || i == AT_192) {
            sum = (wide_t)(sum + minus);
        }
        store_word(r + BYTES * i, (word_t)sum);
        const wide_t sign = (wide_t)((wide_t)0 - (wide_t)(sum >> (2 * BITS - 1)));
        carry = (wide_t)(sum >> BITS | (wide_t)(sign << BITS));
    }
}

void selo_p256_add_times_words(uint8_t r[32], const uint8_t a[32], const uint8_t b[32], int8_t times)
{
    const word_t mask = (word_t)((wide_t)0 - ((uint8_t)times >> 7));
    const word_t factor = times < 0 ? (word_t)-times : (word_t)times; /* no secret */
    word_t carry = times < 0 ? factor : 0, s[WORDS];
    uint32_t top = 0;

    for (uint8_t i = 0; i < WORDS; i++) {
        const wide_t sum = (wide_t)((wide_t)factor * (word_t)(load_word(b + BYTES * i) ^ mask) +
                                    load_word(a + BYTES * i) + carry);
        s[i] = (word_t)sum;
        carry = (word_t)(sum >> BITS);
    }
    for (uint8_t i = 0; i < 32 / BITS; i++) {
        top |= (uint32_t)s[AT_224 + i] << BITS * i;
    }
    const int8_t q = (int8_t)((int8_t)carry + (times < 0 ? times : 0));
    add_e(r, s, times_e(top, q));
}
