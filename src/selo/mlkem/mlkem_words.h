/*
 * Arithmetic modulo q = 3329 in words of 32 bits, for CPUs that multiply them well.
 *
 * The product of a number and a constant z is the fraction of a z / q, times q [PLANTARD2021]. A
 * constant is stored as Z = z 2^32 / q, rounded, so that a Z modulo 2^32 is that fraction in units
 * of 2^-32. Its upper half is enough:
 *
 *   Z q = 2^32 z + e with |e| < q / 2, so p = a Z modulo 2^32, taken from -2^31 to 2^31 - 1, has
 *   p q = a e + 2^32 r, where r is a z modulo q, and |r| <= q / 2 + |a e| / 2^32 < 1665. The
 *   lower half of p, at most 65535, is dropped:
 *   ((p >> 16) q + 8 q) / 2^16 = r + (a e - 65535 q + 2^19 q) / 2^32 at least. a e is above
 *   -2^15 q / 2 = -54.6 million, the sum in brackets between 1.47 and 1.80 billion: from 0 to
 *   2^32, so the quotient rounded down is r, for each a of 16 bits.
 */
#ifndef SELO_MLKEM_WORDS_H
#define SELO_MLKEM_WORDS_H

#include <stdint.h>

/* Z of 1; of 2^16; of 2^16 / 128; and of that times 1729, the last factor of the inverse transform. */
#define SELO_MLKEM_Z_OF_1 1290167u
#define SELO_MLKEM_Z_OF_MONTGOMERY 2948032524u
#define SELO_MLKEM_Z_OF_SCALE 660565712u
#define SELO_MLKEM_Z_OF_LAST 3951782766u

/* The constants of the factors 17^(i with its 7 bits reversed) modulo q [FIPS203, appendix A] in the
 * order of their use: i = 1 to 7; for each of the eight groups g of 32 coefficients i = 8 + g,
 * 16 + 2 g and the next, 32 + 4 g and the next three; i = 64 to 127. */
extern const uint32_t selo_mlkem_zeta_words[127];
enum { SELO_MLKEM_GROUPS = 7, SELO_MLKEM_LAST = 63 }; /* the first of each part */

/* a z modulo q, from -1664 to 1664, for any a of 16 bits. */
SELO_INLINE int32_t selo_mlkem_times(int32_t a, uint32_t z)
{
    const int32_t half = (int32_t)((uint32_t)a * z) >> 16;
    return (half * 3329 + 8 * 3329) >> 16;
}

/* t / 2^16 modulo q, within |t| / 2^16 + q / 2, for |t| up to 2^31 - 2^15 q [MONTGOMERY1985]. q times
 * 3327 is -1 modulo 2^16. */
SELO_INLINE int32_t selo_mlkem_reduce_word(int32_t t)
{
    const int32_t multiple = (int16_t)(uint16_t)((uint32_t)t * 3327);
    return (t + multiple * 3329) >> 16;
}

/* x modulo q, from 0 to q - 1, for any x of 16 bits. As above, but for x - 10 q, which is negative:
 * the fraction of a negative multiple of q is just above 0, that of a positive one just below 1. */
SELO_INLINE uint32_t selo_mlkem_canonical_word(int32_t x)
{
    const uint32_t fraction = (uint32_t)x * SELO_MLKEM_Z_OF_1 + 13530u; /* 13530: -10 q Z */
    return ((fraction >> 16) * 3329 + 8192) >> 16;
}

/* Eight coefficients that are `stride` apart, in variables. */
#define LOAD_EIGHT(poly, stride)                                                            \
    int32_t c0 = (poly)[0], c1 = (poly)[stride], c2 = (poly)[2 * stride],                   \
            c3 = (poly)[3 * stride], c4 = (poly)[4 * stride], c5 = (poly)[5 * stride],      \
            c6 = (poly)[6 * stride], c7 = (poly)[7 * stride]
#define STORE_EIGHT(poly, stride)                                                           \
    (poly)[0] = (int16_t)c0, (poly)[stride] = (int16_t)c1, (poly)[2 * stride] = (int16_t)c2, \
    (poly)[3 * stride] = (int16_t)c3, (poly)[4 * stride] = (int16_t)c4,                     \
    (poly)[5 * stride] = (int16_t)c5, (poly)[6 * stride] = (int16_t)c6,                     \
    (poly)[7 * stride] = (int16_t)c7

#endif
