/* The ChaCha20 block function [RFC8439, 2.3]. */
#include "../common/rotate.h"
#include "chacha20.h"

#if !SELO_NATIVE_CHACHA20_BLOCK

/* The quarter round [RFC8439, 2.1]. */
static void quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b;
    *d = selo_rotate_right(*d ^ *a, 16);
    *c += *d;
    *b = selo_rotate_right(*b ^ *c, 20);
    *a += *b;
    *d = selo_rotate_right(*d ^ *a, 24);
    *c += *d;
    *b = selo_rotate_right(*b ^ *c, 25);
}

void selo_chacha20_block(uint32_t stream[16], const uint32_t state[16])
{
    for (uint8_t i = 0; i < 16; i++) {
        stream[i] = state[i];
    }
    for (uint8_t round = 0; round < 20; round++) {
        uint8_t shift = round & 1; /* columns, then diagonals */
        for (uint8_t i = 0; i < 4; i++) {
            quarter_round(stream + i, stream + 4 + (i + shift) % 4, stream + 8 + (i + 2 * shift) % 4,
                          stream + 12 + (i + 3 * shift) % 4);
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
