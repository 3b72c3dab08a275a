/*
 * ChaCha20 in vectors of four words [RFC8439, 2.3, 2.4], which AArch64 and x86-64 always have.
 *
 * One block: a vector is a row of the state, so that it does the four quarter rounds of a column
 * round at once; for a diagonal round the rows turn. Four blocks: a vector has the same word of
 * four blocks, and nothing turns. The operators of the compiler's vectors become NEON and SSE2.
 */
#include <string.h>

#include "chacha20.h"
#include "../common/vector.h"
#include "../common/wide.h"

#if SELO_CHACHA20_WIDE

typedef selo_u32x4 vector;

/* The quarter round [RFC8439, 2.1], in each place of the vectors. */
#define QUARTER_ROUNDS(a, b, c, d) \
    a += b, d ^= a, d = SELO_ROTATE_4_16(d); \
    c += d, b ^= c, b = SELO_ROTATE_4(b, 12); \
    a += b, d ^= a, d = SELO_ROTATE_4(d, 8); \
    c += d, b ^= c, b = SELO_ROTATE_4(b, 7);

void selo_chacha20_block_wide(uint32_t stream[16], const uint32_t state[16])
{
    vector start[4], a, b, c, d;

    memcpy(start, state, sizeof start);
    a = start[0], b = start[1], c = start[2], d = start[3];
    for (uint8_t round = 0; round < 20; round += 2) {
        QUARTER_ROUNDS(a, b, c, d)
        b = selo_shuffle(b, b, 1, 2, 3, 0);
        c = selo_shuffle(c, c, 2, 3, 0, 1);
        d = selo_shuffle(d, d, 3, 0, 1, 2);
        QUARTER_ROUNDS(a, b, c, d)
        b = selo_shuffle(b, b, 3, 0, 1, 2);
        c = selo_shuffle(c, c, 2, 3, 0, 1);
        d = selo_shuffle(d, d, 1, 2, 3, 0);
    }
    start[0] += a, start[1] += b, start[2] += c, start[3] += d;
    memcpy(stream, start, sizeof start);
}

/* Four rows of four words each become four columns: out[i] has word i of each row. */
SELO_INLINE void transpose(vector out[4], const vector in[4])
{
    const vector low_01 = selo_shuffle(in[0], in[1], 0, 4, 1, 5);
    const vector high_01 = selo_shuffle(in[0], in[1], 2, 6, 3, 7);
    const vector low_23 = selo_shuffle(in[2], in[3], 0, 4, 1, 5);
    const vector high_23 = selo_shuffle(in[2], in[3], 2, 6, 3, 7);

    out[0] = selo_shuffle(low_01, low_23, 0, 1, 4, 5);
    out[1] = selo_shuffle(low_01, low_23, 2, 3, 6, 7);
    out[2] = selo_shuffle(high_01, high_23, 0, 1, 4, 5);
    out[3] = selo_shuffle(high_01, high_23, 2, 3, 6, 7);
}

/* Adds four blocks of key stream to 256 bytes. */
static void xor_4(const uint32_t state[16], uint8_t *out, const uint8_t *in)
{
    vector start[16], x[16], columns[4], text;

    for (uint8_t i = 0; i < 16; i++) {
        start[i] = (vector){state[i], state[i], state[i], state[i]};
    }
    start[12] += (vector){0, 1, 2, 3};
    memcpy(x, start, sizeof x);
    for (uint8_t round = 0; round < 20; round += 2) {
        QUARTER_ROUNDS(x[0], x[4], x[8], x[12])
        QUARTER_ROUNDS(x[1], x[5], x[9], x[13])
        QUARTER_ROUNDS(x[2], x[6], x[10], x[14])
        QUARTER_ROUNDS(x[3], x[7], x[11], x[15])
        QUARTER_ROUNDS(x[0], x[5], x[10], x[15])
        QUARTER_ROUNDS(x[1], x[6], x[11], x[12])
        QUARTER_ROUNDS(x[2], x[7], x[8], x[13])
        QUARTER_ROUNDS(x[3], x[4], x[9], x[14])
    }
    for (uint8_t i = 0; i < 16; i++) {
        x[i] += start[i];
    }
    /* Vectors 4 i to 4 i + 3 have words 4 i to 4 i + 3 of the blocks: 16 bytes in a row. */
    for (uint8_t i = 0; i < 4; i++) {
        transpose(columns, x + 4 * i);
        for (uint8_t block = 0; block < 4; block++) {
            memcpy(&text, in + 64 * block + 16 * i, 16);
            text ^= columns[block];
            memcpy(out + 64 * block + 16 * i, &text, 16);
        }
    }
    /* The words of a key stream are secret; those of the state are the caller's. */
    selo_wipe(x, sizeof x);
}

void selo_chacha20_xor_wide(uint32_t state[16], uint8_t *out, const uint8_t *in, size_t size)
{
    uint32_t words[16];
    const uint8_t *stream = (const uint8_t *)words;

    for (; size >= 256; size -= 256) {
        xor_4(state, out, in);
        state[12] += 4;
        out += 256;
        in += 256;
    }
    while (size != 0) {
        uint8_t taken = (uint8_t)(size < 64 ? size : 64), i = 0;

        selo_chacha20_block_wide(words, state);
        state[12]++;
        for (; taken - i >= 16; i = (uint8_t)(i + 16)) {
            selo_xor_16(out + i, in + i, stream + i);
        }
        for (; i < taken; i++) {
            out[i] = in[i] ^ stream[i];
        }
        out += taken;
        in += taken;
        size -= taken;
    }
    selo_wipe(words, sizeof words);
}

#endif
