/*
 * The multiplication of GHASH [SP800-38D, 6.3] for CPUs that multiply words of 32 bits.
 *
 * As in ghash_multiply.c an integer multiplier multiplies polynomials, of which every fourth bit may
 * be set: a column of the product of two words adds at most 8 ones. Bytes read as a big-endian
 * number have the coefficient of x^0 on top. Where the compiler makes no product of 64 bits without
 * a branch (SELO_WIDE_PRODUCTS), the upper half is the lower half of the product of the mirror
 * images.
 */
#include "../common/compiler.h"
#include "ghash.h"

#if !SELO_BYTEWISE && !SELO_NATIVE_GHASH && !SELO_WIDE

/* The products of both numbers with every fourth bit, of which those at i + j are bits i + j. */
#define PRODUCT(TYPE, x, y, every_fourth) \
    const uint32_t x0 = (x) & 0x11111111, x1 = (x) & 0x22222222; \
    const uint32_t x2 = (x) & 0x44444444, x3 = (x) & 0x88888888; \
    const uint32_t y0 = (y) & 0x11111111, y1 = (y) & 0x22222222; \
    const uint32_t y2 = (y) & 0x44444444, y3 = (y) & 0x88888888; \
    TYPE product = ((TYPE)x0 * y0 ^ (TYPE)x1 * y3 ^ (TYPE)x2 * y2 ^ (TYPE)x3 * y1) & (every_fourth); \
    product |= ((TYPE)x0 * y1 ^ (TYPE)x1 * y0 ^ (TYPE)x2 * y3 ^ (TYPE)x3 * y2) & (every_fourth) << 1; \
    product |= ((TYPE)x0 * y2 ^ (TYPE)x1 * y1 ^ (TYPE)x2 * y0 ^ (TYPE)x3 * y3) & (every_fourth) << 2; \
    product |= ((TYPE)x0 * y3 ^ (TYPE)x1 * y2 ^ (TYPE)x2 * y1 ^ (TYPE)x3 * y0) & (every_fourth) << 3

#if SELO_WIDE_PRODUCTS

struct word {
    uint32_t bits;
};

static inline struct word word(uint32_t bits)
{
    return (struct word){bits};
}

static inline struct word add(struct word x, struct word y)
{
    return (struct word){x.bits ^ y.bits};
}

/* The product of two words, its upper half first. */
static SELO_STACK_APART void multiply(uint32_t r[2], struct word x, struct word y)
{
    PRODUCT(uint64_t, x.bits, y.bits, (uint64_t)0x1111111111111111);
    r[0] = (uint32_t)(product >> 32);
    r[1] = (uint32_t)product;
}

#else

struct word {
    uint32_t bits, mirrored;
};

static inline uint32_t swap(uint32_t x, uint32_t mask, uint8_t distance)
{
    return (x & mask) << distance | (x >> distance & mask);
}

static SELO_STACK_APART uint32_t mirror(uint32_t x)
{
    x = swap(x, 0x55555555, 1);
    x = swap(x, 0x33333333, 2);
    x = swap(x, 0x0f0f0f0f, 4);
    x = swap(x, 0x00ff00ff, 8);
    return x << 16 | x >> 16;
}

static inline struct word word(uint32_t bits)
{
    return (struct word){bits, mirror(bits)};
}

static inline struct word add(struct word x, struct word y)
{
    return (struct word){x.bits ^ y.bits, x.mirrored ^ y.mirrored};
}

/* The lower half of the product of two words. */
static SELO_STACK_APART uint32_t low_product(uint32_t x, uint32_t y)
{
    PRODUCT(uint32_t, x, y, (uint32_t)0x11111111);
    return product;
}

static inline void multiply(uint32_t r[2], struct word x, struct word y)
{
    r[0] = mirror(low_product(x.mirrored, y.mirrored)) >> 1;
    r[1] = low_product(x.bits, y.bits);
}

#endif

/* The product of two times two words, the upper first: Karatsuba's three products instead of four. */
static SELO_STACK_APART void multiply_two(uint32_t r[4], const struct word x[2], const struct word y[2])
{
    uint32_t middle[2];

    multiply(r, x[0], y[0]);
    multiply(r + 2, x[1], y[1]);
    multiply(middle, add(x[0], x[1]), add(y[0], y[1]));
    middle[0] ^= r[0] ^ r[2];
    middle[1] ^= r[1] ^ r[3];
    r[1] ^= middle[0];
    r[2] ^= middle[1];
}

static void load(struct word words[4], const uint8_t bytes[16])
{
    for (uint8_t i = 0; i < 4; i++, bytes += 4) {
        words[i] = word((uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16
                        | (uint32_t)bytes[2] << 8 | bytes[3]);
    }
}

/* The eight words of a product modulo 1 + x + x^2 + x^7 + x^128, to bytes. */
static void reduce(uint8_t bytes[16], uint32_t v[8])
{
    /* 255 bits, moved up to have the coefficient of x^0 in the top bit */
    for (uint8_t i = 0; i < 7; i++) {
        v[i] = v[i] << 1 | v[i + 1] >> 31;
    }
    v[7] <<= 1;
    for (uint8_t i = 7; i >= 4; i--) {
        const uint32_t x = v[i];
        v[i - 4] ^= x ^ x >> 1 ^ x >> 2 ^ x >> 7;
        v[i - 3] ^= x << 31 ^ x << 30 ^ x << 25;
    }
    for (uint8_t i = 0; i < 16; i++) {
        bytes[i] = (uint8_t)(v[i >> 2] >> (24 - 8 * (i & 3)));
    }
}

void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16])
{
    struct word x[4], y[4];
    uint32_t v[8], middle[4];

    load(x, product);
    load(y, key);
    multiply_two(v, x, y);
    multiply_two(v + 4, x + 2, y + 2);
    for (uint8_t i = 0; i < 2; i++) {
        x[i] = add(x[i], x[i + 2]);
        y[i] = add(y[i], y[i + 2]);
    }
    multiply_two(middle, x, y);
    for (uint8_t i = 0; i < 4; i++) {
        middle[i] ^= v[i] ^ v[i + 4];
    }
    for (uint8_t i = 0; i < 4; i++) {
        v[i + 2] ^= middle[i];
    }
    reduce(product, v);
}

#endif
