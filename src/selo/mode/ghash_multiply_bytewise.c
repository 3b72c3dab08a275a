/*
 * The multiplication of GHASH [SP800-38D, 6.3] on bytes, for an 8-bit CPU.
 *
 * A product is the sum of the key times x^n over all set bits n. The 16 bits at the same place in
 * their bytes are processed together. The key is then shifted by one bit only seven times, and a
 * shift by a byte is a change of address. Masks replace decisions.
 */
#include "../common/bytewise.h"
#include "ghash.h"

#if SELO_BYTEWISE && !SELO_NATIVE_GHASH

/* All ones if the highest bit is set, else 0. */
static inline uint8_t mask_of(uint8_t byte)
{
    return (uint8_t)-(byte >> 7);
}

static inline uint8_t take_bit(uint8_t *byte)
{
    uint8_t mask = mask_of(*byte);
    *byte = (uint8_t)(*byte << 1);
    return mask;
}

/* For i from 0 to 3: if the highest bit of rows[i] is set, sum[i..i + 19) += power. Then each row
 * is shifted left by one bit. Each byte of power is loaded once and serves all four rows. */
static SELO_APART void add_rows(uint8_t *sum, const uint8_t *power, uint8_t rows[4])
{
    const uint8_t m0 = take_bit(rows), m1 = take_bit(rows + 1);
    const uint8_t m2 = take_bit(rows + 2), m3 = take_bit(rows + 3);
    uint8_t a, b = 0, c = 0, d = 0, n = 5;

    for (;;) {
        SELO_BASE(power);
        a = power[0];
        sum[0] ^= (a & m0) ^ (d & m1) ^ (c & m2) ^ (b & m3);
        b = power[1];
        sum[1] ^= (b & m0) ^ (a & m1) ^ (d & m2) ^ (c & m3);
        c = power[2];
        sum[2] ^= (c & m0) ^ (b & m1) ^ (a & m2) ^ (d & m3);
        if (--n == 0) {
            break;
        }
        d = power[3];
        sum[3] ^= (d & m0) ^ (c & m1) ^ (b & m2) ^ (a & m3);
        power += 4;
        sum += 4;
    }
}

/* power = power * x. The bit that leaves at the end is x^128 = 1 + x + x^2 + x^7. */
static SELO_APART void shift(uint8_t power[16])
{
    uint8_t carry = 0;

    for (uint8_t i = 0; i < 16; i++) {
        uint8_t byte = power[i];
        power[i] = (uint8_t)(byte >> 1 | carry);
        carry = (uint8_t)(byte << 7);
    }
    power[0] = (uint8_t)(power[0] ^ (mask_of(carry) & 0xe1));
}

void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16])
{
    uint8_t power[19], sum[32]; /* power: key times x^0 to x^7; its last three bytes stay 0 */
    uint8_t n = 8, i;

    for (i = 0; i < 32; i++) {
        sum[i] = 0;
    }
    for (i = 0; i < 19; i++) {
        power[i] = i < 16 ? key[i] : 0;
    }
    for (;;) {
        for (i = 0; i < 16; i = (uint8_t)(i + 4)) {
            add_rows(sum + i, power, product + i);
        }
        if (--n == 0) {
            break;
        }
        shift(power);
    }
    /* Bytes 16 to 30 hold x^128 and up, and x^128 = 1 + x + x^2 + x^7. */
    for (i = 15; i-- != 0;) {
        uint8_t high = sum[16 + i];
        sum[i] = (uint8_t)(sum[i] ^ high ^ high >> 1 ^ high >> 2 ^ high >> 7);
        sum[i + 1] = (uint8_t)(sum[i + 1] ^ (uint8_t)(high << 7) ^ (uint8_t)(high << 6) ^
                               (uint8_t)(high << 1));
    }
    for (i = 0; i < 16; i++) {
        product[i] = sum[i];
    }
    selo_wipe(power, sizeof power);
    selo_wipe(sum, sizeof sum);
}

#endif
