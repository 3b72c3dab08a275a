/*
 * Keccak-f[1600] [FIPS202, 3.3] in place, on bytes, for an 8-bit CPU.
 *
 * One pass does the second half of theta, rho and pi. pi moves 24 lanes along a single cycle. Each
 * lane is loaded, combined with the parity of its column, rotated and stored once. The pass walks
 * the cycle backwards, so the lane to overwrite is always the one just loaded and nothing else must
 * be kept. A rotation multiplies each byte by a power of two, which gives the shifted bits and the
 * bits for the next byte at once. Rotations by whole bytes are addresses. chi also computes the
 * column parities that the next theta needs.
 */
#include <string.h>

#include "../common/bytewise.h"
#include "../common/flash.h"
#include "sha3.h"

#if SELO_BYTEWISE && !SELO_NATIVE_KECCAK

/* parity[8 x + i] = byte i of column x, all rows together [FIPS202, 3.2.1]. */
static SELO_APART void column_parities(uint8_t parity[40], const uint8_t *a)
{
    uint8_t n = 40;
    do {
        *parity++ = a[0] ^ a[40] ^ a[80] ^ a[120] ^ a[160];
        a++;
    } while (--n != 0);
}

/* The value that theta adds to each lane of column x: the parity of the previous column, and that
 * of the next column rotated left by one bit. */
static SELO_APART void theta_terms(uint8_t *term, const uint8_t parity[40])
{
    uint8_t x = 0;
    do {
        SELO_PAIR(sum);
        const uint8_t *column = parity + (uint8_t)(x == 32 ? 0 : x + 8);
        SELO_PAIR_LOAD(sum, column, 0);
        SELO_PAIR_ROL1(sum);
        column = parity + (uint8_t)(x == 0 ? 32 : x - 8);
        SELO_PAIR_XOR_LOAD(sum, column, 0);
        SELO_PAIR_STORE(sum, term);
        term += 8;
        x = (uint8_t)(x + 8);
    } while (x != 40);
}

/*
 * The cycle of pi [FIPS202, 3.2.3], backwards. Each step writes a lane, rotated by r bits
 * [FIPS202, 3.2.2], to the place from which the previous step loaded its lane; the first step
 * writes to lane (1, 0). Bytes of a step: offset of the lane, offset of its column's term,
 * multiplier for the bits of the rotation, whole bytes of the rotation.
 */
#define STEP(x, y, r) \
    {{8 * ((x) + 5 * (y)), 8 * (x), 1 << ((r) & 7), (r) / 8}}
static const union {
    uint8_t byte[4];
    uint32_t word;
} steps[24] SELO_FLASH = {
    STEP(1, 1, 44), STEP(4, 1, 20), STEP(2, 4, 61), STEP(4, 2, 39),
    STEP(0, 4, 18), STEP(2, 0, 62), STEP(2, 2, 43), STEP(3, 2, 25),
    STEP(4, 3, 8), STEP(3, 4, 56), STEP(0, 3, 41), STEP(4, 0, 27),
    STEP(4, 4, 14), STEP(1, 4, 2), STEP(3, 1, 55), STEP(1, 3, 45),
    STEP(0, 1, 36), STEP(3, 0, 28), STEP(3, 3, 21), STEP(2, 3, 15),
    STEP(1, 2, 10), STEP(2, 1, 6), STEP(0, 2, 3), STEP(1, 0, 1),
};

/* Byte c of the lane times m. The upper part goes to the next byte as `carry`. */
#define MULTIPLY(c, m)                             \
    do {                                           \
        uint16_t product_ = (uint16_t)((c) * (m)); \
        (c) = (uint8_t)((uint8_t)product_ | carry); \
        carry = (uint8_t)(product_ >> 8);          \
    } while (0)

#define PUT(p, n)                                                         \
    do {                                                                  \
        (p)[(0 + (n)) & 7] = c0, (p)[(1 + (n)) & 7] = c1;                 \
        (p)[(2 + (n)) & 7] = c2, (p)[(3 + (n)) & 7] = c3;                 \
        (p)[(4 + (n)) & 7] = c4, (p)[(5 + (n)) & 7] = c5;                 \
        (p)[(6 + (n)) & 7] = c6, (p)[(7 + (n)) & 7] = c7;                 \
    } while (0)

/* to = (from ^ term) rotated left by `bytes` bytes and n bits, where m is 2^n. One variable holds
 * one pointer after the other, because AVR has one register to spare. */
static inline void move_lane(uint8_t *to, const uint8_t *from, const uint8_t *term, uint8_t m,
                             uint8_t bytes)
{
    uint8_t c0, c1, c2, c3, c4, c5, c6, c7, carry = 0;
    const uint8_t *p = term;

    c0 = p[0], c1 = p[1], c2 = p[2], c3 = p[3];
    c4 = p[4], c5 = p[5], c6 = p[6], c7 = p[7];
    p = from;
    SELO_BASE(p);
    c0 ^= p[0], c1 ^= p[1], c2 ^= p[2], c3 ^= p[3];
    c4 ^= p[4], c5 ^= p[5], c6 ^= p[6], c7 ^= p[7];
    MULTIPLY(c0, m);
    MULTIPLY(c1, m);
    MULTIPLY(c2, m);
    MULTIPLY(c3, m);
    MULTIPLY(c4, m);
    MULTIPLY(c5, m);
    MULTIPLY(c6, m);
    MULTIPLY(c7, m);
    c0 |= carry;
    SELO_BASE(to);
    /* Three tests of a constant are cheaper than a jump table. */
    if (bytes & 4) {
        if (bytes & 2) {
            if (bytes & 1) {
                PUT(to, 7);
            } else {
                PUT(to, 6);
            }
        } else if (bytes & 1) {
            PUT(to, 5);
        } else {
            PUT(to, 4);
        }
    } else if (bytes & 2) {
        if (bytes & 1) {
            PUT(to, 3);
        } else {
            PUT(to, 2);
        }
    } else if (bytes & 1) {
        PUT(to, 1);
    } else {
        PUT(to, 0);
    }
}

/* Lane (0, 0) stays in its place. The others move along the cycle. */
static SELO_APART void theta_rho_pi(uint8_t *a, const uint8_t *terms)
{
    uint8_t first[8]; /* the lane that the first step overwrites and the last step moves */
    uint8_t to = 8, n = 0;

    for (uint8_t i = 0; i < 8; i++) {
        a[i] ^= terms[i];
    }
    memcpy(first, a + to, 8);
    do {
        union selo_half step; /* the fields of steps[] */
        const uint8_t *from;
        step.word = selo_flash_u32(&steps[n].word);
        n++;
        from = n == 24 ? first : a + step.byte[0];
        move_lane(a + to, from, terms + step.byte[1], step.byte[2], step.byte[3]);
        to = step.byte[0];
    } while (n != 24);
}

/* chi [FIPS202, 3.2.4] on one byte of all five rows at a time, and the parities of the result. */
static SELO_APART void chi(uint8_t *a, uint8_t *parity)
{
    uint8_t n = 8;
    do {
        uint8_t p0 = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, row = 5;
        do {
            uint8_t a0 = a[0], a1 = a[8], a2 = a[16], a3 = a[24], a4 = a[32];
            uint8_t old0 = a0, old1 = a1;
            a[0] = a0 ^= a2 & (uint8_t)~a1;
            p0 ^= a0;
            a[8] = a1 ^= a3 & (uint8_t)~a2;
            p1 ^= a1;
            a[16] = a2 ^= a4 & (uint8_t)~a3;
            p2 ^= a2;
            a[24] = a3 ^= old0 & (uint8_t)~a4;
            p3 ^= a3;
            a[32] = a4 ^= old1 & (uint8_t)~old0;
            p4 ^= a4;
            a += 40;
        } while (--row != 0);
        parity[0] = p0, parity[8] = p1, parity[16] = p2, parity[24] = p3, parity[32] = p4;
        parity++;
        a -= 5 * 40 - 1;
    } while (--n != 0);
}

/* The round constants [FIPS202, 3.2.5] have bits only at 0, 1, 3, 7, 15, 31 and 63. In this table
 * the last three are at 4, 5 and 6. */
static const uint8_t round_constants[24] SELO_FLASH = {
    0x01, 0x92, 0xda, 0x70, 0x9b, 0x21, 0xf1, 0x59, 0x8a, 0x88, 0x39, 0x2a,
    0xbb, 0xcb, 0xd9, 0x53, 0x52, 0xc0, 0x1a, 0x6a, 0xf1, 0xd0, 0x21, 0x78,
};

static inline void iota(uint8_t *lane, uint8_t constant)
{
    lane[0] = (uint8_t)(lane[0] ^ (constant & 0x8b));
    lane[1] = (uint8_t)(lane[1] ^ (constant << 3 & 0x80));
    lane[3] = (uint8_t)(lane[3] ^ (constant << 2 & 0x80));
    lane[7] = (uint8_t)(lane[7] ^ (constant << 1 & 0x80));
}

void selo_keccak_f1600(uint64_t lanes[25])
{
    uint8_t parity[40], terms[40];
    uint8_t *a = (uint8_t *)lanes;

    column_parities(parity, a);
    for (uint8_t round = 0; round < 24; round++) {
        uint8_t constant = selo_flash_u8(round_constants + round);
        theta_terms(terms, parity);
        theta_rho_pi(a, terms);
        chi(a, parity);
        iota(a, constant);
        iota(parity, constant);
    }
}

#endif
