/* The ChaCha20 block function [RFC8439, 2.3]. */
#include "../common/rotate.h"
#include "chacha20.h"

#if !SELO_NATIVE_CHACHA20

/* The quarter round [RFC8439, 2.1]. */
static inline void quarter_round(uint32_t *pa, uint32_t *pb, uint32_t *pc, uint32_t *pd)
{
    uint32_t a = *pa, b = *pb, c = *pc, d = *pd;

    a += b;
    d = selo_rotate_right(d ^ a, 16);
    c += d;
    b = selo_rotate_left_12(b ^ c);
    a += b;
    d = selo_rotate_right(d ^ a, 24);
    c += d;
    b = selo_rotate_left_7(b ^ c);
    *pa = a, *pb = b, *pc = c, *pd = d;
}

void selo_chacha20_block(uint32_t stream[16], const uint32_t state[16])
{
    for (uint8_t i = 0; i < 16; i++) {
        stream[i] = state[i];
    }
    for (uint8_t round = 0; round < 20; round++) {
        uint8_t shift = round & 1; /* columns, then diagonals */
        for (uint8_t i = 0; i < 4; i++) {
            quarter_round(stream + i, stream + 4 + (uint8_t)((i + shift) & 3),
                          stream + 8 + (uint8_t)((i + 2 * shift) & 3),
                          stream + 12 + (uint8_t)((i + 3 * shift) & 3));
        }
    }
    for (uint8_t i = 0; i < 16; i++) {
        uint32_t word = stream[i] + state[i];
        uint8_t *p = (uint8_t *)(stream + i);
        p[0] = (uint8_t)word, p[1] = (uint8_t)(word >> 8);
        p[2] = (uint8_t)(word >> 16), p[3] = (uint8_t)(word >> 24);
    }
}

#endif
