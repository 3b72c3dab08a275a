/*
 * Multiplication in the field of P-256: a schoolbook product, then Montgomery's reduction
 * [MONTGOMERY1985].
 *
 * The reduction adds a multiple m p that makes the lower half of the product zero, and keeps the upper
 * half. p is -1 modulo 2^96, so a word of m is the lowest word that is left, and no product is needed:
 *
 *     m p = m 2^256 - m 2^224 + m 2^192 + m 2^96 - m
 *
 * For words that go from low to high, that is four sums for a word. Instead of a difference, the
 * complement of the 512 bits of m 2^224 is added, and 1, which is 2^512 too much.
 */
#include "field.h"
#include "field_word.h"

/* r -= p if carry is 1. carry 2^256 + r is below 2^256 + p. */
static void subtract_if(word_t r[WORDS], word_t carry)
{
    const word_t mask = (word_t)((wide_t)0 - carry);
    word_t borrow = 0;

    for (uint8_t i = 0; i < WORDS; i++) {
        const word_t of_p = i < AT_96 || i >= AT_224 ? mask : i == AT_192 ? carry : 0;
        const wide_t difference = (wide_t)((wide_t)r[i] - of_p - borrow);
        r[i] = (word_t)difference;
        borrow = (word_t)(difference >> (2 * BITS - 1));
    }
}

static void reduce(uint8_t r[32], word_t product[2 * WORDS])
{
    word_t padded[3 * WORDS] = {0}; /* m with zeros on both sides */
    word_t *const m = padded + WORDS, *const high = product + WORDS;
    wide_t sum = 1;

    for (int8_t i = 0; i < WORDS; i++) {
        sum = (wide_t)(sum + product[i] + m[i - AT_96] + m[i - AT_192] + (word_t)~m[i - AT_224]);
        m[i] = (word_t)sum; /* and - m makes it 0 */
        sum >>= BITS;
    }
    for (int8_t i = 0; i < WORDS; i++) {
        const word_t *const below = m + i + WORDS;
        sum = (wide_t)(sum + high[i] + *(below - AT_96) + *(below - AT_192));
        sum = (wide_t)(sum + (word_t)~*(below - AT_224) + m[i]);
        high[i] = (word_t)sum;
        sum >>= BITS;
    }
    subtract_if(high, (word_t)(sum - 1));
    for (uint8_t i = 0; i < WORDS; i++) {
        store_word(r + BYTES * i, high[i]);
    }
}

void selo_p256_multiply_words(uint8_t r[32], const uint8_t a[32], const uint8_t b[32])
{
    word_t product[2 * WORDS] = {0}, factor[WORDS];

    for (uint8_t i = 0; i < WORDS; i++) {
        factor[i] = load_word(b + BYTES * i);
    }
    for (uint8_t i = 0; i < WORDS; i++) {
        const word_t of_a = load_word(a + BYTES * i);
        word_t carry = 0;
        for (uint8_t j = 0; j < WORDS; j++) {
            const wide_t sum = (wide_t)((wide_t)of_a * factor[j] + product[i + j] + carry);
            product[i + j] = (word_t)sum;
            carry = (word_t)(sum >> BITS);
        }
        product[i + WORDS] = carry;
    }
    reduce(r, product);
}
