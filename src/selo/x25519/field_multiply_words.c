/*
 * Multiplication modulo 2^255 - 19 in words of 32 bits, for machines that
 * multiply them well: schoolbook, then one pass of reduction as in
 * field_reduce.c.
 */
#include "field.h"

enum { WORDS = 8 };

static void load(uint32_t words[WORDS], const uint8_t bytes[32])
{
    for (uint8_t i = 0; i < WORDS; i++) {
        words[i] = bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8
                   | (uint32_t)bytes[4 * i + 2] << 16 | (uint32_t)bytes[4 * i + 3] << 24;
    }
}

static void store(uint8_t bytes[4], uint32_t word)
{
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
    bytes[2] = (uint8_t)(word >> 16);
    bytes[3] = (uint8_t)(word >> 24);
}

void selo_field25519_multiply_words(uint8_t r[32], const uint8_t a[32], const uint8_t b[32])
{
    uint32_t x[WORDS], y[WORDS], product[2 * WORDS] = {0};

    load(x, a);
    load(y, b);
    for (uint8_t i = 0; i < WORDS; i++) {
        /* (2^32 - 1)^2 + 2 (2^32 - 1) is 2^64 - 1: a sum never overflows. */
        uint64_t sum = 0;
        for (uint8_t j = 0; j < WORDS; j++) {
            sum += (uint64_t)x[i] * y[j] + product[i + j];
            product[i + j] = (uint32_t)sum;
            sum >>= 32;
        }
        product[i + WORDS] = (uint32_t)sum;
    }

    /* low + 38 high, with all above bit 255 of it but one carry folded in first. */
    const uint64_t top = (uint64_t)38 * product[2 * WORDS - 1] + product[WORDS - 1];
    uint64_t carry = 19 * (top >> 31);
    for (uint8_t i = 0; i < WORDS - 1; i++) {
        carry += (uint64_t)38 * product[i + WORDS] + product[i];
        store(r + 4 * i, (uint32_t)carry);
        carry >>= 32;
    }
    /* The last carry is at most 39. */
    store(r + 4 * (WORDS - 1), (uint32_t)((top & 0x7fffffff) + carry));
}
