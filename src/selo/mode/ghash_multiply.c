/*
 * The multiplication of GHASH [SP800-38D, 6.3] for CPUs that multiply words of 64 bits.
 *
 * It multiplies polynomials with the integer multiplier. Only every fourth bit of a factor may be
 * set, so a column of the product adds at most 15 ones, which do not carry into the lowest bit of
 * another column. (The uppermost column has 16 ones, and their carry leaves the word.) Bytes read
 * as a big-endian number have the coefficient of x^0 on top, so everything is mirrored: the lower
 * half of a product is the upper half of the product of the mirror images.
 */
#include "../common/bytewise.h"
#include "../common/wide.h"
#include "ghash.h"

#if SELO_GHASH_WIDE && SELO_X86
#include <immintrin.h>
#endif

#if SELO_WIDE && !SELO_NATIVE_GHASH

struct word {
    uint64_t bits, mirrored;
};

static inline uint64_t swap(uint64_t x, uint64_t mask, uint8_t distance)
{
    return (x & mask) << distance | (x >> distance & mask);
}

static uint64_t mirror(uint64_t x)
{
    x = swap(x, 0x5555555555555555, 1);
    x = swap(x, 0x3333333333333333, 2);
    x = swap(x, 0x0f0f0f0f0f0f0f0f, 4);
    x = swap(x, 0x00ff00ff00ff00ff, 8);
    x = swap(x, 0x0000ffff0000ffff, 16);
    return x << 32 | x >> 32;
}

static inline struct word load(const uint8_t *p)
{
    struct word x;

    x.bits = selo_load_be64(p);
    x.mirrored = mirror(x.bits);
    return x;
}

/* The lower 64 bits of the product of two polynomials. */
static uint64_t low_product(uint64_t x, uint64_t y)
{
    const uint64_t every_fourth = 0x1111111111111111;
    uint64_t a[4], b[4], product = 0;

    for (uint8_t i = 0; i < 4; i++) {
        a[i] = x & every_fourth << i;
        b[i] = y & every_fourth << i;
    }
    for (uint8_t i = 0; i < 4; i++) {
        uint64_t sum = 0;
        for (uint8_t j = 0; j < 4; j++) {
            sum ^= a[j] * b[(i - j) & 3];
        }
        product |= sum & every_fourth << i;
    }
    return product;
}

/* The product, its upper half first. */
typedef void multiply_fn(uint64_t product[2], struct word x, struct word y);

static void multiply(uint64_t product[2], struct word x, struct word y)
{
    product[0] = mirror(low_product(x.mirrored, y.mirrored)) >> 1;
    product[1] = low_product(x.bits, y.bits);
}

static inline struct word add(struct word x, struct word y)
{
    x.bits ^= y.bits;
    x.mirrored ^= y.mirrored;
    return x;
}

SELO_INLINE void multiply_with(multiply_fn *multiply_words, uint8_t product[16],
                               const uint8_t key[16])
{
    const struct word x0 = load(product), x1 = load(product + 8);
    const struct word y0 = load(key), y1 = load(key + 8);
    uint64_t upper[2], middle[2], lower[2], v[4];

    multiply_words(upper, x0, y0); /* Karatsuba: three products instead of four */
    multiply_words(lower, x1, y1);
    multiply_words(middle, add(x0, x1), add(y0, y1));
    middle[0] ^= upper[0] ^ lower[0];
    middle[1] ^= upper[1] ^ lower[1];
    upper[1] ^= middle[0];
    lower[0] ^= middle[1];

    /* 255 bits, moved up to have the coefficient of x^0 in the top bit */
    v[0] = upper[0] << 1 | upper[1] >> 63;
    v[1] = upper[1] << 1 | lower[0] >> 63;
    v[2] = lower[0] << 1 | lower[1] >> 63;
    v[3] = lower[1] << 1;
    for (uint8_t i = 3; i >= 2; i--) { /* x^128 = 1 + x + x^2 + x^7, 128 bits further up */
        uint64_t x = v[i];
        v[i - 2] ^= x ^ x >> 1 ^ x >> 2 ^ x >> 7;
        v[i - 1] ^= x << 63 ^ x << 62 ^ x << 57;
    }
    selo_store_be64(product, v[0]);
    selo_store_be64(product + 8, v[1]);
}

void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16])
{
    multiply_with(multiply, product, key);
}

/* The same with the instruction of x86-64 for a product of polynomials. It needs no mirror images,
 * which the compiler therefore leaves out. */
#if SELO_GHASH_WIDE && SELO_X86

SELO_TARGET("pclmul") static inline void multiply_x86(uint64_t product[2], struct word x,
                                                      struct word y)
{
    const __m128i p = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)x.bits),
                                           _mm_cvtsi64_si128((long long)y.bits), 0);

    product[0] = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(p, p));
    product[1] = (uint64_t)_mm_cvtsi128_si64(p);
}

SELO_TARGET("pclmul") void selo_ghash_multiply_x86(uint8_t product[16], const uint8_t key[16])
{
    multiply_with(multiply_x86, product, key);
}

#endif

#endif
