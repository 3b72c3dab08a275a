/* The encodings of ML-KEM, and its compression [FIPS203, 4.2.1], on words of 32 bits. */
#include "mlkem.h"

#if SELO_MLKEM_WORDS

#if !SELO_NATIVE_MLKEM_PAIRS

void selo_mlkem_pack(uint8_t packed[384], const int16_t poly[256])
{
    for (uint8_t i = 0; i < 128; i++) {
        const uint32_t even = selo_mlkem_canonical_word(poly[0]);
        const uint32_t odd = selo_mlkem_canonical_word(poly[1]);
        const uint32_t both = even | odd << 12;
        packed[0] = (uint8_t)both;
        packed[1] = (uint8_t)(both >> 8);
        packed[2] = (uint8_t)(both >> 16);
        packed += 3;
        poly += 2;
    }
}

#endif

/* The first four and the last four of six bytes; x of 12 bits from each place. */
static inline uint32_t word_at(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

void selo_mlkem_unpack(int16_t *poly, const uint8_t *packed, uint8_t quads)
{
    for (; quads != 0; quads--, packed += 6, poly += 4) {
        const uint32_t low = word_at(packed), high = word_at(packed + 2);
        poly[0] = (int16_t)(low & 4095);
        poly[1] = (int16_t)(low >> 12 & 4095);
        poly[2] = (int16_t)(high >> 8 & 4095);
        poly[3] = (int16_t)(high >> 20);
    }
}

uint8_t selo_mlkem_in_range(const uint8_t *packed, size_t size)
{
    uint32_t outside = 0; /* its highest bit, if a coefficient is */

    for (; size != 0; size -= 6, packed += 6) {
        const uint32_t low = word_at(packed), high = word_at(packed + 2);
        outside |= (SELO_MLKEM_Q - 1 - (low & 4095)) | (SELO_MLKEM_Q - 1 - (low >> 12 & 4095));
        outside |= (SELO_MLKEM_Q - 1 - (high >> 8 & 4095)) | (SELO_MLKEM_Q - 1 - (high >> 20));
    }
    return (uint8_t)(1 - (outside >> 31));
}

/* x * 2^bits / q modulo 2^bits, rounded. The fraction of x / q in units of 2^-32 is x times 1290167 +
 * 1353 / 3329; the second part is a half of x, and an error below x / 10. For 10 bits the
 * fraction is 630 units or more away from where rounding turns, for fewer bits more, so x may be
 * anything from -2 q to 2 q (tests/c/test_mlkem_arithmetic.c tries each). */
static inline uint32_t compress(int32_t x, uint8_t bits)
{
    const uint32_t fraction = (uint32_t)x * SELO_MLKEM_Z_OF_1 + (uint32_t)(x >> 1);
    return (fraction + (1u << (31 - bits))) >> (32 - bits);
}

void selo_mlkem_compress_u(uint8_t out[320], const int16_t poly[256])
{
    for (uint8_t i = 0; i < 64; i++) {
        const uint32_t a = compress(poly[0], 10), b = compress(poly[1], 10);
        const uint32_t c = compress(poly[2], 10), d = compress(poly[3], 10);
        const uint32_t low = a | b << 10 | c << 20 | d << 30;
        out[0] = (uint8_t)low;
        out[1] = (uint8_t)(low >> 8);
        out[2] = (uint8_t)(low >> 16);
        out[3] = (uint8_t)(low >> 24);
        out[4] = (uint8_t)(d >> 2);
        out += 5;
        poly += 4;
    }
}

void selo_mlkem_compress_v(uint8_t out[128], const int16_t poly[256])
{
    for (uint8_t i = 0; i < 128; i++) {
        *out++ = (uint8_t)(compress(poly[0], 4) | compress(poly[1], 4) << 4);
        poly += 2;
    }
}

static inline int16_t decompress_10(uint32_t y)
{
    return (int16_t)(((y & 1023) * SELO_MLKEM_Q + 512) >> 10);
}

void selo_mlkem_decompress_u(int16_t poly[256], const uint8_t in[320])
{
    for (uint8_t i = 0; i < 64; i++) {
        const uint32_t low = word_at(in);
        poly[0] = decompress_10(low);
        poly[1] = decompress_10(low >> 10);
        poly[2] = decompress_10(low >> 20);
        poly[3] = decompress_10(low >> 30 | (uint32_t)in[4] << 2);
        in += 5;
        poly += 4;
    }
}

/* The bit of a difference [FIPS203, 4.2.1, Compress1], at the end that the next one pushes it from. */
static inline uint32_t add_bit(uint32_t bits, uint32_t v, int32_t coefficient)
{
    const int32_t whole = (int32_t)((v * SELO_MLKEM_Q + 8) >> 4);
    return bits >> 1 | compress(whole - coefficient, 1) << 7;
}

void selo_mlkem_message(uint8_t message[32], const int16_t poly[256], const uint8_t v[128])
{
    for (uint8_t i = 0; i < 32; i++) {
        uint32_t byte = 0;
        for (uint8_t two = 0; two < 4; two++) {
            byte = add_bit(byte, *v & 15, poly[0]);
            byte = add_bit(byte, *v >> 4, poly[1]);
            v++;
            poly += 2;
        }
        message[i] = (uint8_t)byte;
    }
}

#endif
