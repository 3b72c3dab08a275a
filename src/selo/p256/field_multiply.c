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
 * complement of m is added, so that sums stay positive: -m 2^224 = ~m 2^224 + 2^224 - 2^480.
 */
#include "field.h"
#include "field_word.h"

enum { AT_96 = 96 / BITS, AT_192 = 192 / BITS, AT_224 = 224 / BITS };

static word_t word_of(const word_t m[WORDS], uint8_t i)
{
    return i < WORDS ? m[i] : 0;
}

/* r -= p if carry is 1. carry 2^256 + r is below 2^256 + p. */
static void subtract_if(uint8_t r[32], word_t carry)
{
    const word_t mask = (word_t)((wide_t)0 - carry);
    word_t borrow = 0;

    for (uint8_t i = 0; i < WORDS; i++) {
        const word_t of_p = i < AT_96 || i >= AT_224 ? mask : i == AT_192 ? carry : 0;
        const wide_t difference = (wide_t)((wide_t)load_word(r + BYTES * i) - of_p - borrow);
        store_word(r + BYTES * i, (word_t)difference);
        borrow = (word_t)(difference >> (2 * BITS - 1));
    }
}

static void reduce(uint8_t r[32], const word_t product[2 * WORDS])
{
    word_t m[WORDS];
    wide_t sum = 0;

    for (uint8_t i = 0; i < 2 * WORDS; i++) {
        sum = (wide_t)(sum + product[i]);
        if (i >= AT_96) {
            sum = (wide_t)(sum + word_of(m, (uint8_t)(i - AT_96)));
        }
        if (i >= AT_192) {
            sum = (wide_t)(sum + word_of(m, (uint8_t)(i - AT_192)));
        }
        if (i >= AT_224) {
            sum = (wide_t)(sum + (word_t)~word_of(m, (uint8_t)(i - AT_224)) + (i == AT_224));
        }
        if (i < WORDS) {
            m[i] = (word_t)sum;         /* and - m makes it 0 */
        } else {
            sum = (wide_t)(sum + m[i - WORDS]);
            store_word(r + BYTES * (i - WORDS), (word_t)sum);
        }
        sum >>= BITS;
    }
    /* -2^480 was left out where the complements of words above m, all ones, came in: they are
     * 2^512 - 2^480 together. */
    subtract_if(r, (word_t)(sum - 1));
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
