/* The matrix of seven division steps, applied to two long numbers (p256_invert.c). */
#include <stddef.h>

#include "../common/flash.h"
#include "p256.h"

enum { SIZE = 33 };

/* sum / 256, rounded down. sum is above -2^24. */
static inline int32_t shift_byte(int32_t sum)
{
    return (int32_t)((uint32_t)(sum + 0x1000000) >> 8) - 0x10000;
}

void selo_p256_transform_bytes(uint8_t first[33], uint8_t second[33], const int8_t matrix[6],
                               const uint8_t *modulus)
{
    int32_t sum_first = 0, sum_second = 0;
    uint8_t before_first = 0, before_second = 0;

    for (uint8_t i = 0; i <= SIZE; i++) {
        if (i < SIZE) {
            /* the highest byte has the sign */
            const int16_t a = i < SIZE - 1 ? first[i] : (int8_t)first[i];
            const int16_t b = i < SIZE - 1 ? second[i] : (int8_t)second[i];
            sum_first += (int32_t)matrix[0] * a + (int32_t)matrix[1] * b;
            sum_second += (int32_t)matrix[3] * a + (int32_t)matrix[4] * b;
        }
        if (i < SIZE - 1 && modulus != NULL) {
            const uint8_t of_modulus = selo_flash_u8(modulus + i);
            sum_first += (int32_t)matrix[2] * of_modulus;
            sum_second += (int32_t)matrix[5] * of_modulus;
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
