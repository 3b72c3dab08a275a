/*
 * The field of X25519 in four words of 64 bits, for CPUs that multiply them: a product of two
 * words has 128 bits, and its high half costs one instruction (AArch64 umulh, x86-64 mul).
 *
 * Elements stay 32 bytes, little-endian, and may be any value below 2^256. 2^256 is 38 modulo p,
 * so what leaves the top word comes back to the lowest one, times 38. Products are schoolbook:
 * at four words Karatsuba's additions cost more than the four products that they save.
 *
 * Time: no branch and no address depends on an element. Multiplications of 64 bits take the same
 * time for all values on AArch64 and x86-64.
 */
#include <string.h>

#include "../common/compiler.h"
#include "field.h"

#if SELO_X25519_WIDE

typedef selo_wide_product wide_t;

/* Elements are little-endian, and so is the CPU (native/api.h). */
static inline void load(uint64_t w[4], const uint8_t bytes[32])
{
    memcpy(w, bytes, 32);
}

static inline void store(uint8_t bytes[32], const uint64_t w[4])
{
    memcpy(bytes, w, 32);
}

/* word += x y + carry, where carry becomes the high half. (2^64 - 1)^2 + 2 (2^64 - 1) is
 * 2^128 - 1: the sum never overflows. */
#define MULTIPLY_ADD(word, x, y) \
    sum = (wide_t)(x) * (y) + (word) + carry; \
    (word) = (uint64_t)sum; \
    carry = (uint64_t)(sum >> 64);

/* word += x + carry, where carry becomes the carry. */
#define ADD(word, x) \
    sum = (wide_t)(word) + (x) + carry; \
    (word) = (uint64_t)sum; \
    carry = (uint64_t)(sum >> 64);

/* word -= x + borrow, where borrow becomes the borrow. */
#define SUBTRACT(word, x) \
    sum = (wide_t)(word) - (x) - borrow; \
    (word) = (uint64_t)sum; \
    borrow = (uint64_t)(sum >> 64) & 1;

/* w + 38 extra, below 2^256; extra is at most 2^32. */
static inline void fold(uint64_t w[4], uint64_t extra)
{
    wide_t sum;
    uint64_t carry = 38 * extra;

    ADD(w[0], 0)
    ADD(w[1], 0)
    ADD(w[2], 0)
    ADD(w[3], 0)
    /* If a carry is left, w is below 38 * 2^32: this sum has none. */
    w[0] += 38 * carry;
}

static void reduce(uint8_t r[32], const uint64_t product[8])
{
    uint64_t w[4];
    wide_t sum;
    uint64_t carry = 0;

    memcpy(w, product, sizeof w);
    MULTIPLY_ADD(w[0], product[4], 38)
    MULTIPLY_ADD(w[1], product[5], 38)
    MULTIPLY_ADD(w[2], product[6], 38)
    MULTIPLY_ADD(w[3], product[7], 38)
    fold(w, carry);
    store(r, w);
}

void selo_field25519_multiply_wide(uint8_t r[32], const uint8_t a[32], const uint8_t b[32])
{
    uint64_t x[4], y[4], p[8] = {0};
    wide_t sum;
    uint64_t carry;

    load(x, a);
    load(y, b);
#define ROW(i) \
    carry = 0; \
    MULTIPLY_ADD(p[i], x[i], y[0]) \
    MULTIPLY_ADD(p[i + 1], x[i], y[1]) \
    MULTIPLY_ADD(p[i + 2], x[i], y[2]) \
    MULTIPLY_ADD(p[i + 3], x[i], y[3]) \
    p[i + 4] = carry;
    ROW(0)
    ROW(1)
    ROW(2)
    ROW(3)
#undef ROW
    reduce(r, p);
}

void selo_field25519_square_wide(uint8_t r[32], const uint8_t a[32])
{
    uint64_t x[4], p[8] = {0};
    wide_t sum;
    uint64_t carry = 0;

    load(x, a);
    /* The six products of different words. */
    MULTIPLY_ADD(p[1], x[0], x[1])
    MULTIPLY_ADD(p[2], x[0], x[2])
    MULTIPLY_ADD(p[3], x[0], x[3])
    p[4] = carry;
    carry = 0;
    MULTIPLY_ADD(p[3], x[1], x[2])
    MULTIPLY_ADD(p[4], x[1], x[3])
    p[5] = carry;
    carry = 0;
    MULTIPLY_ADD(p[5], x[2], x[3])
    p[6] = carry;
    /* Each counts twice. */
    p[7] = p[6] >> 63;
    p[6] = p[6] << 1 | p[5] >> 63;
    p[5] = p[5] << 1 | p[4] >> 63;
    p[4] = p[4] << 1 | p[3] >> 63;
    p[3] = p[3] << 1 | p[2] >> 63;
    p[2] = p[2] << 1 | p[1] >> 63;
    p[1] = p[1] << 1;
    /* The four squares. */
    carry = 0;
    MULTIPLY_ADD(p[0], x[0], x[0])
    ADD(p[1], 0)
    MULTIPLY_ADD(p[2], x[1], x[1])
    ADD(p[3], 0)
    MULTIPLY_ADD(p[4], x[2], x[2])
    ADD(p[5], 0)
    MULTIPLY_ADD(p[6], x[3], x[3])
    p[7] += carry;
    reduce(r, p);
}

static inline void add(uint64_t r[4], const uint64_t a[4])
{
    wide_t sum;
    uint64_t carry = 0;

    ADD(r[0], a[0])
    ADD(r[1], a[1])
    ADD(r[2], a[2])
    ADD(r[3], a[3])
    fold(r, carry);
}

static inline void subtract(uint64_t r[4], const uint64_t a[4])
{
    wide_t sum;
    uint64_t borrow = 0;

    SUBTRACT(r[0], a[0])
    SUBTRACT(r[1], a[1])
    SUBTRACT(r[2], a[2])
    SUBTRACT(r[3], a[3])
    /* A borrow is 2^256 too much: 38 modulo p. */
    const uint64_t excess = 38 * borrow;
    borrow = 0;
    SUBTRACT(r[0], excess)
    SUBTRACT(r[1], 0)
    SUBTRACT(r[2], 0)
    SUBTRACT(r[3], 0)
    /* If it borrows again, r is at least 2^256 - 38: this difference does not. */
    r[0] -= 38 * borrow;
}

void selo_field25519_butterfly_wide(uint8_t a[32], uint8_t b[32])
{
    uint64_t plus[4], minus[4], x[4];

    load(plus, a);
    load(minus, a);
    load(x, b);
    add(plus, x);
    subtract(minus, x);
    store(a, plus);
    store(b, minus);
}

void selo_field25519_subtract_wide(uint8_t r[32], const uint8_t a[32], const uint8_t b[32])
{
    uint64_t x[4], y[4];

    load(x, a);
    load(y, b);
    subtract(x, y);
    store(r, x);
}

void selo_field25519_add_121666_wide(uint8_t a[32], const uint8_t b[32])
{
    uint64_t x[4], y[4];
    wide_t sum;
    uint64_t carry = 0;

    load(x, a);
    load(y, b);
    MULTIPLY_ADD(x[0], y[0], 121666)
    MULTIPLY_ADD(x[1], y[1], 121666)
    MULTIPLY_ADD(x[2], y[2], 121666)
    MULTIPLY_ADD(x[3], y[3], 121666)
    fold(x, carry);
    store(a, x);
}

void selo_field25519_select_wide(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
                                 uint8_t choice)
{
    uint64_t x[8], y[8];
    const uint64_t mask = (uint64_t)0 - choice;

    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    for (uint8_t i = 0; i < 8; i++)
        x[i] ^= mask & (x[i] ^ y[i]);
    memcpy(r, x, sizeof x);
}

#endif
