/* The encodings of ML-KEM, and its compression [FIPS203, 4.2.1]. */
#include "mlkem.h"

#if !SELO_MLKEM_WORDS

void selo_mlkem_pack(uint8_t packed[384], const int16_t poly[256])
{
    for (uint8_t i = 0; i < 128; i++) {
        const uint16_t even = selo_mlkem_canonical(poly[0]), odd = selo_mlkem_canonical(poly[1]);
        packed[0] = (uint8_t)even;
        packed[1] = (uint8_t)(even >> 8 | odd << 4);
        packed[2] = (uint8_t)(odd >> 4);
        packed += 3;
        poly += 2;
    }
}

uint8_t selo_mlkem_in_range(const uint8_t *packed, size_t size)
{
    for (size_t i = 0; i < size; i += 3) {
        const uint16_t even = (uint16_t)(packed[i] | (packed[i + 1] & 15) << 8);
        const uint16_t odd = (uint16_t)(packed[i + 1] >> 4 | packed[i + 2] << 4);
        if (even >= SELO_MLKEM_Q || odd >= SELO_MLKEM_Q) {
            return 0;
        }
    }
    return 1;
}

/* x * 2^10 / q, rounded, modulo 2^10. 20159 / 2^16 is a little more than 2^10 / q, by less than
 * the half that rounding adds: the estimate is the quotient or one less. Division would take a time
 * that depends on x. */
static inline uint16_t compress_10(int16_t coefficient)
{
    const uint16_t x = selo_mlkem_canonical(coefficient);
    const uint16_t estimate = (uint16_t)((uint32_t)x * 20159 >> 16);
    const uint16_t rest = (uint16_t)(((unsigned)x << 10) + SELO_MLKEM_Q / 2 -
                                     estimate * (unsigned)SELO_MLKEM_Q); /* modulo 2^16 */
    return (estimate + ((uint16_t)(SELO_MLKEM_Q - 1 - rest) >> 15)) & 1023;
}

void selo_mlkem_compress_u(uint8_t out[320], const int16_t poly[256])
{
    for (uint8_t i = 0; i < 64; i++) {
        const uint16_t a = compress_10(poly[0]), b = compress_10(poly[1]);
        const uint16_t c = compress_10(poly[2]), d = compress_10(poly[3]);
        out[0] = (uint8_t)a;
        out[1] = (uint8_t)(a >> 8 | b << 2);
        out[2] = (uint8_t)(b >> 6 | c << 4);
        out[3] = (uint8_t)(c >> 4 | d << 6);
        out[4] = (uint8_t)(d >> 2);
        out += 5;
        poly += 4;
    }
}

static inline uint8_t compress_4(int16_t coefficient)
{
    const uint16_t x = selo_mlkem_canonical(coefficient);
    return selo_mlkem_quotient((uint16_t)((x << 4) + SELO_MLKEM_Q / 2)) & 15;
}

void selo_mlkem_compress_v(uint8_t out[128], const int16_t poly[256])
{
    for (uint8_t i = 0; i < 128; i++) {
        const uint8_t low = compress_4(poly[0]);
        *out++ = (uint8_t)(low | compress_4(poly[1]) << 4);
        poly += 2;
    }
}

static inline int16_t decompress_10(uint16_t y)
{
    return (int16_t)(((uint32_t)(y & 1023) * SELO_MLKEM_Q + 512) >> 10);
}

void selo_mlkem_decompress_u(int16_t poly[256], const uint8_t in[320])
{
    for (uint8_t i = 0; i < 64; i++) {
        poly[0] = decompress_10((uint16_t)(in[0] | in[1] << 8));
        poly[1] = decompress_10((uint16_t)(in[1] >> 2 | in[2] << 6));
        poly[2] = decompress_10((uint16_t)(in[2] >> 4 | in[3] << 4));
        poly[3] = decompress_10((uint16_t)(in[3] >> 6 | in[4] << 2));
        in += 5;
        poly += 4;
    }
}

/* The bit of a difference: 1 if it is nearer to q / 2 than to 0 [FIPS203, 4.2.1, Compress1]. */
static inline uint8_t message_bit(uint8_t v, int16_t coefficient)
{
    const int16_t whole = (int16_t)((v * (uint16_t)SELO_MLKEM_Q + 8) >> 4);
    const uint16_t x = selo_mlkem_canonical((int16_t)(whole - coefficient));
    return selo_mlkem_quotient((uint16_t)((x << 1) + SELO_MLKEM_Q / 2)) & 1;
}

void selo_mlkem_message(uint8_t message[32], const int16_t poly[256], const uint8_t v[128])
{
    for (uint8_t i = 0; i < 32; i++) {
        uint8_t byte = 0;
        for (uint8_t bit = 0; bit < 8; bit = (uint8_t)(bit + 2)) {
            byte = (uint8_t)(byte | message_bit(*v & 15, poly[0]) << bit);
            byte = (uint8_t)(byte | message_bit(*v >> 4, poly[1]) << (bit + 1));
            v++;
            poly += 2;
        }
        message[i] = byte;
    }
}

#endif
