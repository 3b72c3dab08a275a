/*
 * Multiplication modulo 2^255 - 19 in words, for machines that multiply them well:
 * schoolbook, then one pass of reduction as in field_reduce.c.
 *
 * The words have 32 bits, or 16 where the compiler would make products or sums of 64
 * bits by branches that depend on their values (SELO_X25519_HALVES).
 */
#include "field.h"

#if SELO_X25519_HALVES
typedef uint16_t word_t;
typedef uint32_t wide_t;
#else
typedef uint32_t word_t;
typedef uint64_t wide_t;
#endif

enum { BYTES = sizeof(word_t), BITS = 8 * BYTES, WORDS = 32 / BYTES };

static void load(word_t words[WORDS], const uint8_t bytes[32])
{
    for (uint8_t i = 0; i < WORDS; i++) {
        const uint8_t *from = bytes + BYTES * i;
#if SELO_X25519_HALVES
        words[i] = (word_t)(from[0] | from[1] << 8);
#else
        words[i] = from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16
                   | (uint32_t)from[3] << 24;
#endif
    }
}

static void store(uint8_t bytes[BYTES], word_t word)
{
    for (uint8_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
}

void selo_field25519_multiply_words(uint8_t r[32], const uint8_t a[32], const uint8_t b[32])
{
    word_t x[WORDS], y[WORDS], product[2 * WORDS] = {0};

    load(x, a);
    load(y, b);
    for (uint8_t i = 0; i < WORDS; i++) {
        /* With n bits, (2^n - 1)^2 + 2 (2^n - 1) is 2^2n - 1: a sum never overflows. */
        wide_t sum = 0;
        for (uint8_t j = 0; j < WORDS; j++) {
            sum += (wide_t)x[i] * y[j] + product[i + j];
            product[i + j] = (word_t)sum;
            sum >>= BITS;
        }
        product[i + WORDS] = (word_t)sum;
    }

    /* low + 38 high, with all above bit 255 of it but one carry folded in first. */
    const wide_t top = (wide_t)38 * product[2 * WORDS - 1] + product[WORDS - 1];
    wide_t carry = 19 * (top >> (BITS - 1));
    for (uint8_t i = 0; i < WORDS - 1; i++) {
        carry += (wide_t)38 * product[i + WORDS] + product[i];
        store(r + BYTES * i, (word_t)carry);
        carry >>= BITS;
    }
    /* The last carry is at most 39. */
    store(r + BYTES * (WORDS - 1), (word_t)((top & (((wide_t)1 << (BITS - 1)) - 1)) + carry));
}
