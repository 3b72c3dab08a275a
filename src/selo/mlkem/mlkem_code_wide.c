/* The compression of ML-KEM-1024, 11 and 5 bits for each coefficient [FIPS203, 4.2.1]. */
#define SELO_MLKEM_WIDE 1

#include "mlkem.h"

/* x modulo q, from 0 to q - 1. */
static inline uint16_t canonical(int16_t x)
{
#if SELO_MLKEM_WORDS
    return (uint16_t)selo_mlkem_canonical_word(x);
#else
    return selo_mlkem_canonical(x);
#endif
}

void selo_mlkem_shorten_sum(int16_t sum[256])
{
    for (uint16_t i = 0; i < 256; i++) {
        sum[i] = (int16_t)canonical(sum[i]);
    }
}

/* x * 2^bits / q, rounded, not modulo 2^bits. `factor` / 2^16 is 2^bits / q, or more by so little that
 * x times the difference is below a half: the estimate is the result or one less. Division would take
 * a time that depends on x. */
static inline uint16_t compress(uint16_t x, uint8_t bits, uint16_t factor)
{
    const uint16_t estimate = (uint16_t)((uint32_t)x * factor >> 16);
    const uint16_t rest = (uint16_t)(((uint32_t)x << bits) + SELO_MLKEM_Q / 2 -
                                     (uint32_t)estimate * SELO_MLKEM_Q);
    return (uint16_t)(estimate + ((uint16_t)(SELO_MLKEM_Q - 1 - rest) >> 15));
}

static inline uint16_t compress_11(int16_t x)
{
    return compress(canonical(x), 11, 40318) & 2047;
}

static inline uint8_t compress_5(int16_t x)
{
    return (uint8_t)(compress(canonical(x), 5, 630) & 31);
}

/* Eight coefficients become eleven bytes. */
void selo_mlkem_compress_u(uint8_t out[352], const int16_t poly[256])
{
    for (uint8_t eight = 0; eight < 32; eight++) {
        uint32_t bits = 0;
        uint8_t filled = 0;
        for (uint8_t i = 0; i < 8; i++) {
            bits |= (uint32_t)compress_11(*poly++) << filled;
            for (filled = (uint8_t)(filled + 11); filled >= 8; filled = (uint8_t)(filled - 8)) {
                *out++ = (uint8_t)bits;
                bits >>= 8;
            }
        }
    }
}

/* Eight coefficients become five bytes. */
void selo_mlkem_compress_v(uint8_t out[160], const int16_t poly[256])
{
    for (uint8_t eight = 0; eight < 32; eight++) {
        uint16_t bits = 0;
        uint8_t filled = 0;
        for (uint8_t i = 0; i < 8; i++) {
            bits = (uint16_t)(bits | (uint16_t)compress_5(*poly++) << filled);
            filled = (uint8_t)(filled + 5);
            if (filled >= 8) {
                *out++ = (uint8_t)bits;
                bits >>= 8;
                filled = (uint8_t)(filled - 8);
            }
        }
    }
}

void selo_mlkem_decompress_u(int16_t poly[256], const uint8_t in[352])
{
    uint32_t bits = 0;
    uint8_t filled = 0;

    for (uint16_t i = 0; i < 256; i++) {
        for (; filled < 11; filled = (uint8_t)(filled + 8)) {
            bits |= (uint32_t)*in++ << filled;
        }
        *poly++ = (int16_t)(((bits & 2047) * SELO_MLKEM_Q + 1024) >> 11);
        bits >>= 11;
        filled = (uint8_t)(filled - 11);
    }
}

/* The bit of a difference: 1 if it is nearer to q / 2 than to 0 [FIPS203, 4.2.1, Compress1]. */
static inline uint8_t message_bit(uint8_t v, int16_t coefficient)
{
    const int16_t whole = (int16_t)(((uint32_t)v * SELO_MLKEM_Q + 16) >> 5);
    return compress(canonical((int16_t)(whole - coefficient)), 1, 40) & 1;
}

void selo_mlkem_message(uint8_t message[32], const int16_t poly[256], const uint8_t v[160])
{
    for (uint8_t i = 0; i < 32; i++) {
        uint16_t bits = 0;
        uint8_t filled = 0, byte = 0;
        for (uint8_t bit = 0; bit < 8; bit++) {
            if (filled < 5) {
                bits = (uint16_t)(bits | (uint16_t)*v++ << filled);
                filled = (uint8_t)(filled + 8);
            }
            byte = (uint8_t)(byte | message_bit(bits & 31, *poly++) << bit);
            bits >>= 5;
            filled = (uint8_t)(filled - 5);
        }
        message[i] = byte;
    }
}
