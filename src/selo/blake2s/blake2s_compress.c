/* The compression function F of BLAKE2s [RFC7693, 3.2]. */
#include "../common/flash.h"
#include "../common/rotate.h"
#include "blake2s.h"

#if !SELO_NATIVE_BLAKE2S

/* The permutations of the message words [RFC7693, 2.7]. Each byte holds two word numbers, the
 * first in its lower half. */
#define PAIR(first, second) ((first) | (second) << 4)
static const uint8_t sigma[10 * 8] SELO_FLASH = {
    PAIR(0, 1), PAIR(2, 3), PAIR(4, 5), PAIR(6, 7),
    PAIR(8, 9), PAIR(10, 11), PAIR(12, 13), PAIR(14, 15),
    PAIR(14, 10), PAIR(4, 8), PAIR(9, 15), PAIR(13, 6),
    PAIR(1, 12), PAIR(0, 2), PAIR(11, 7), PAIR(5, 3),
    PAIR(11, 8), PAIR(12, 0), PAIR(5, 2), PAIR(15, 13),
    PAIR(10, 14), PAIR(3, 6), PAIR(7, 1), PAIR(9, 4),
    PAIR(7, 9), PAIR(3, 1), PAIR(13, 12), PAIR(11, 14),
    PAIR(2, 6), PAIR(5, 10), PAIR(4, 0), PAIR(15, 8),
    PAIR(9, 0), PAIR(5, 7), PAIR(2, 4), PAIR(10, 15),
    PAIR(14, 1), PAIR(11, 12), PAIR(6, 8), PAIR(3, 13),
    PAIR(2, 12), PAIR(6, 10), PAIR(0, 11), PAIR(8, 3),
    PAIR(4, 13), PAIR(7, 5), PAIR(15, 14), PAIR(1, 9),
    PAIR(12, 5), PAIR(1, 15), PAIR(14, 13), PAIR(4, 10),
    PAIR(0, 7), PAIR(6, 3), PAIR(9, 2), PAIR(8, 11),
    PAIR(13, 11), PAIR(7, 14), PAIR(12, 1), PAIR(3, 9),
    PAIR(5, 0), PAIR(15, 4), PAIR(8, 6), PAIR(2, 10),
    PAIR(6, 15), PAIR(14, 9), PAIR(11, 3), PAIR(0, 8),
    PAIR(12, 2), PAIR(13, 7), PAIR(1, 4), PAIR(10, 5),
    PAIR(10, 2), PAIR(8, 4), PAIR(7, 6), PAIR(1, 5),
    PAIR(15, 11), PAIR(9, 14), PAIR(3, 12), PAIR(13, 0),
};

/* A word of the message, little-endian. */
static inline uint32_t word(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The mixing function G [RFC7693, 3.1] with the message words at px and py. */
static inline void mix(uint32_t *pa, uint32_t *pb, uint32_t *pc, uint32_t *pd, const uint8_t *px,
                       const uint8_t *py)
{
    uint32_t a = *pa, b = *pb, c = *pc, d = *pd;

    a += b;
    SELO_OPAQUE(a);
    a += word(px);
    d = selo_rotate_right(d ^ a, 16);
    c += d;
    b = selo_rotate_right_12(b ^ c);
    a += b;
    SELO_OPAQUE(a);
    a += word(py);
    d = selo_rotate_right(d ^ a, 8);
    c += d;
    b = selo_rotate_right_7(b ^ c);
    *pa = a, *pb = b, *pc = c, *pd = d;
}

/* Ten rounds on the working vector. */
static SELO_APART void rounds(uint32_t v[16], const uint8_t block[64])
{
    const uint8_t *pair = sigma;

    do {
        uint8_t shift = 0; /* four columns, then four diagonals */
        do {
            uint8_t i = 0;
            do {
                uint8_t words = selo_flash_u8(pair++);
                mix(v + i, v + 4 + (uint8_t)((i + shift) & 3),
                    v + 8 + (uint8_t)((i + 2 * shift) & 3),
                    v + 12 + (uint8_t)((i + 3 * shift) & 3), block + (uint8_t)(words << 2 & 60),
                    block + (uint8_t)(words >> 2 & 60));
                i++;
            } while (i != 4);
            shift++;
        } while (shift != 2);
    } while (pair != sigma + sizeof sigma);
}

void selo_blake2s_compress(uint32_t state[8], const uint8_t block[64], uint32_t size,
                           uint32_t last)
{
    uint32_t v[16];

    for (uint8_t i = 0; i < 8; i++) {
        v[i] = state[i];
        v[i + 8] = selo_flash_u32(selo_blake2s_iv + i);
    }
    v[12] ^= size; /* v[13] would hold the upper half of a 64-bit size */
    v[14] ^= last;
    rounds(v, block);
    for (uint8_t i = 0; i < 8; i++) {
        state[i] ^= v[i] ^ v[i + 8];
    }
    selo_wipe(v, sizeof v);
}

#endif
