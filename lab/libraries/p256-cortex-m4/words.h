/* Numbers of P256-Cortex-M4: eight words, lowest first. Byte strings have the highest byte first. */
#ifndef LAB_WORDS_H
#define LAB_WORDS_H

#include <p256-cortex-m4.h>

enum { PUBLIC_BYTES = 64, NUMBER_BYTES = 32 };

typedef uint32_t number[NUMBER_BYTES / 4];

static inline void number_read(number to, const uint8_t *from)
{
    p256_convert_endianness(to, from, NUMBER_BYTES);
}

static inline void number_write(uint8_t *to, const number from)
{
    p256_convert_endianness(to, from, NUMBER_BYTES);
}

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    number x, y, own;
    number_read(own, secret);
    if (!p256_keygen(x, y, own))
        return 1;
    number_write(public_key, x);
    number_write(public_key + NUMBER_BYTES, y);
    return 0;
}

#endif
