/*
 * AES key schedule without tables [FIPS197, 5.2]: first the schedule in bytes, then each round key
 * in slices, in the form that aes_sliced.h describes.
 */
#include "aes_sliced.h"

#if !SELO_AES_TABLES && !SELO_NATIVE_AES

/* SubWord of a word [FIPS197, 5.2], with q for work. */
static uint32_t substitute(uint32_t word, uint32_t q[8])
{
    uint32_t result = 0;

    for (uint8_t i = 0; i < 8; i++) {
        q[i] = word >> i & 0x01010101;
    }
    selo_aes_sliced_substitute(q);
    for (uint8_t i = 0; i < 8; i++) {
        result |= (q[i] & 0x01010101) << i;
    }
    return result ^ 0x63636363;
}

/* A round key of bytes to slices, in place, with q for work. */
static void slice(uint8_t key[16], uint8_t round, uint32_t q[8])
{
    for (uint8_t c = 0; c < 4; c++) {
        /* Odd rounds: ShiftRows backwards, row r by r columns. */
        const uint8_t by = round & 1 ? 4 : 0;
        const uint8_t *column = key + 4 * c;
        q[2 * c] = column[0] | (uint32_t)key[(4 * c + 1 - by) & 15] << 8
                   | (uint32_t)key[(4 * c + 2 - 2 * by) & 15] << 16
                   | (uint32_t)key[(4 * c + 3 - 3 * by) & 15] << 24;
        q[2 * c] ^= round != 0 ? 0x63636363 : 0;
        q[2 * c + 1] = 0;
    }
    selo_aes_sliced_transpose(q);
    for (uint8_t i = 0; i < 4; i++) {
        aes_store32(key + 4 * i, q[i] | q[i + 4] << 1);
    }
}

void selo_aes_sliced_setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size)
{
    const uint8_t words = key_size / 4, rounds = (uint8_t)(words + 6);
    uint8_t constant = 1, place = 0; /* i modulo Nk */
    uint32_t last = 0, q[8];

    for (uint8_t i = 0; i < 4 * (rounds + 1); i++) {
        if (i < words) {
            last = aes_load32(raw + 4 * i);
        } else {
            if (place == 0) {
                last = substitute(last, q);
                last = (last >> 8 | last << 24) ^ constant;
                constant = aes_xtime(constant);
            } else if (words == 8 && place == 4) {
                last = substitute(last, q);
            }
            last ^= aes_load32(round_keys + 4 * (i - words));
        }
        aes_store32(round_keys + 4 * i, last);
        place = (uint8_t)(place + 1 == words ? 0 : place + 1);
    }
    for (uint8_t round = 0; round <= rounds; round++) {
        slice(round_keys + 16 * round, round, q);
    }
    selo_wipe(q, sizeof q);
}

#endif
