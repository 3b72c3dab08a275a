/* The matrix of seven division steps, applied to two long numbers (p256_invert.c). */
#include <stddef.h>

#include "../common/flash.h"
#include "field_word.h"
#include "p256.h"

enum { SIZE = 33 };

#if SELO_X25519_WORDS && !SELO_X25519_HALVES
/* In words of 32 bits. All sums are modulo 2^64, so a sign is no case of its own. */
static inline uint64_t product(int8_t factor, uint64_t number)
{
    return (uint64_t)(int64_t)factor * number;
}

/* sum / 2^32, rounded down, where the sum has a sign and its absolute value is below 2^48. */
static inline uint64_t shift_word(uint64_t sum)
{
    return ((sum + ((uint64_t)1 << 48)) >> 32) - 0x10000;
}

/* Word i of a number of 33 bytes, of which the last has the sign. */
static inline uint64_t word_of(const uint8_t number[33], uint8_t i)
{
    return i < 8 ? load_word(number + 4 * i) : (uint64_t)(int64_t)(int8_t)number[SIZE - 1];
}

static inline uint32_t modulus_word(const uint8_t *modulus, uint8_t i)
{
    return modulus != NULL && i < 8 ? load_word(modulus + 4 * i) : 0;
}

void selo_p256_transform_bytes(uint8_t first[33], uint8_t second[33], const int8_t matrix[6],
                               const uint8_t *modulus)
{
    uint64_t sum_first = 0, sum_second = 0;
    uint32_t before_first = 0, before_second = 0;

    for (uint8_t i = 0; i <= 8; i++) {
        const uint64_t a = word_of(first, i), b = word_of(second, i), of_modulus = modulus_word(modulus, i);
        sum_first += product(matrix[0], a) + product(matrix[1], b) + product(matrix[2], of_modulus);
        sum_second += product(matrix[3], a) + product(matrix[4], b) + product(matrix[5], of_modulus);
        if (i > 0) {
            store_word(first + 4 * i - 4, (uint32_t)sum_first << 26 | before_first >> 6);
            store_word(second + 4 * i - 4, (uint32_t)sum_second << 25 | before_second >> 7);
        }
        before_first = (uint32_t)sum_first;
        before_second = (uint32_t)sum_second;
        sum_first = shift_word(sum_first);
        sum_second = shift_word(sum_second);
    }
    first[SIZE - 1] = (uint8_t)(before_first >> 6);
    second[SIZE - 1] = (uint8_t)(before_second >> 7);
}
#else
/* The products are of bytes without signs: a compiler's product of signed numbers may take a time that depends on
 * the sign (avr-gcc). A negative number is its byte less 256. */
static inline uint32_t product(int8_t factor, uint8_t byte)
{
    const uint8_t bits = (uint8_t)factor, negative = (uint8_t)(0u - (unsigned)(bits >> 7));

    return (uint16_t)(bits * (uint16_t)byte) - ((uint32_t)(byte & negative) << 8);
}

/* factor, as a sum */
static inline uint32_t extended(int8_t factor)
{
    return product(factor, 1);
}

/* sum / 256, rounded down, where the sum has a sign and its absolute value is below 2^24. */
static inline uint32_t shift_byte(uint32_t sum)
{
    return ((sum + 0x1000000) >> 8) - 0x10000;
}

void selo_p256_transform_bytes(uint8_t first[33], uint8_t second[33], const int8_t matrix[6],
                               const uint8_t *modulus)
{
    uint32_t sum_first = 0, sum_second = 0;
    uint8_t before_first = 0, before_second = 0;
    const uint32_t a_negative = 0 - (uint32_t)(first[SIZE - 1] >> 7);
    const uint32_t b_negative = 0 - (uint32_t)(second[SIZE - 1] >> 7);

    for (uint8_t i = 0; i <= SIZE; i++) {
        if (i < SIZE) {
            sum_first += product(matrix[0], first[i]) + product(matrix[1], second[i]);
            sum_second += product(matrix[3], first[i]) + product(matrix[4], second[i]);
        } else {
            sum_first -= (extended(matrix[0]) & a_negative) + (extended(matrix[1]) & b_negative);
            sum_second -= (extended(matrix[3]) & a_negative) + (extended(matrix[4]) & b_negative);
        }
        if (i < SIZE - 1 && modulus != NULL) {
            const uint8_t of_modulus = selo_flash_u8(modulus + i);
            sum_first += product(matrix[2], of_modulus);
            sum_second += product(matrix[5], of_modulus);
        }
        if (i > 0) {
            first[i - 1] = (uint8_t)((uint8_t)sum_first << 2 | before_first >> 6);
            second[i - 1] = (uint8_t)((uint8_t)sum_second << 1 | before_second >> 7);
        }
        before_first = (uint8_t)sum_first;
        before_second = (uint8_t)sum_second;
        sum_first = shift_byte(sum_first);
        sum_second = shift_byte(sum_second);
    }
}
#endif
