/*
 * The Ascon permutation [SP800-232, 3] on bytes, for an 8-bit CPU with a byte multiplier.
 *
 * A byte times 2^(8 - k) is the byte rotated right by k bits, split into two parts. The upper byte
 * stays in its place. The lower byte goes to the next lower place. Rotations by whole bytes only
 * rename registers.
 */
#include "../common/bytewise.h"
#include "ascon.h"

#if SELO_BYTEWISE && !SELO_NATIVE_ASCON

/* The substitution layer [SP800-232, 3.3], a byte of each word at a time; the round constant
 * is already added. */
static SELO_APART void substitute(uint8_t *p)
{
    uint8_t n = 8;
    do {
        uint8_t a = p[0], b = p[8], c = p[16], d = p[24], e = p[32], x, y;
        a ^= e;
        e ^= d;
        c ^= b;
        x = a;
        y = (uint8_t)~a & b;
        a ^= (uint8_t)~b & c;
        b ^= (uint8_t)~c & d;
        c ^= (uint8_t)~d & e;
        d ^= (uint8_t)~e & x;
        e ^= y;
        p[8] = b ^ a;
        p[0] = a ^ e;
        p[24] = d ^ c;
        p[16] = (uint8_t)~c;
        p[32] = e;
        p++;
    } while (--n != 0);
}

/* Adds one byte of a word to the sum, rotated right by r bits: byte j of the word goes to the
 * places that it reaches. m = 2^(8 - r mod 8) does the part of the rotation below a byte. */
#define ADD_ROTATED(j, r, m)                                                              \
    do {                                                                                  \
        uint8_t *upper_ = &sum[((j) - (r) / 8) & 7], *lower_ = &sum[((j) - (r) / 8 - 1) & 7]; \
        uint16_t parts_ = (uint16_t)((uint16_t)byte_ * (m));                              \
        *upper_ = (uint8_t)(*upper_ ^ parts_ >> 8);                                       \
        *lower_ = (uint8_t)(*lower_ ^ parts_);                                            \
        SELO_OPAQUE(*upper_);                                                             \
        SELO_OPAQUE(*lower_);                                                             \
    } while (0)
#define ADD_BOTH(word, j, r, s)                 \
    do {                                        \
        uint8_t byte_ = p[8 * (word) + (j)];    \
        ADD_ROTATED(j, r, m);                   \
        ADD_ROTATED(j, s, n);                   \
    } while (0)

/* word ^= (word rotated right by r bits) ^ (word rotated right by s bits). SELO_OPAQUE makes the
 * compiler multiply instead of shifting bit by bit. */
#define DIFFUSE(word, r, s)                                                                  \
    do {                                                                                     \
        uint8_t sum[8], m = 1 << (8 - (r) % 8), n = 1 << (8 - (s) % 8);                      \
        SELO_OPAQUE(m);                                                                      \
        SELO_OPAQUE(n);                                                                      \
        SELO_BASE(p);                                                                        \
        sum[0] = p[8 * (word)], sum[1] = p[8 * (word) + 1], sum[2] = p[8 * (word) + 2];      \
        sum[3] = p[8 * (word) + 3], sum[4] = p[8 * (word) + 4], sum[5] = p[8 * (word) + 5];  \
        sum[6] = p[8 * (word) + 6], sum[7] = p[8 * (word) + 7];                              \
        ADD_BOTH(word, 0, r, s);                                                             \
        ADD_BOTH(word, 1, r, s);                                                             \
        ADD_BOTH(word, 2, r, s);                                                             \
        ADD_BOTH(word, 3, r, s);                                                             \
        ADD_BOTH(word, 4, r, s);                                                             \
        ADD_BOTH(word, 5, r, s);                                                             \
        ADD_BOTH(word, 6, r, s);                                                             \
        ADD_BOTH(word, 7, r, s);                                                             \
        p[8 * (word)] = sum[0], p[8 * (word) + 1] = sum[1], p[8 * (word) + 2] = sum[2];      \
        p[8 * (word) + 3] = sum[3], p[8 * (word) + 4] = sum[4], p[8 * (word) + 5] = sum[5];  \
        p[8 * (word) + 6] = sum[6], p[8 * (word) + 7] = sum[7];                              \
    } while (0)

/* The linear diffusion layer [SP800-232, 3.4]. */
static SELO_APART void diffuse(uint8_t *p)
{
    DIFFUSE(0, 19, 28);
    DIFFUSE(1, 61, 39);
    DIFFUSE(2, 1, 6);
    DIFFUSE(3, 10, 17);
    DIFFUSE(4, 7, 41);
}

void selo_ascon_permute(uint64_t state[5], uint8_t rounds)
{
    uint8_t *p = (uint8_t *)state;
    /* f0, e1, d2, ... 4b; fewer rounds use the last ones [SP800-232, 3.2] */
    uint8_t constant = (uint8_t)(0x3c + rounds * 0x0f);

    do {
        p[16] ^= constant;
        constant = (uint8_t)(constant - 0x0f);
        substitute(p);
        diffuse(p);
    } while (constant != 0x3c);
}

#endif
