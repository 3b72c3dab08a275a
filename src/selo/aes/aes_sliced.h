/*
 * AES without tables: two blocks at a time in slices of bits [ADOMNICAI2021, 3].
 *
 * The state is eight words q[0] to q[7]. Word i holds bit i of every byte: bit 8 r + 2 c + b of it
 * belongs to row r and column c [FIPS197, 3.4] of block b. SubBytes is then a circuit of word
 * operations, MixColumns rotates words by whole bytes, and ShiftRows would rotate the bytes of
 * a word. No address and no branch depends on data, so caches see nothing.
 *
 * ShiftRows is done for two rounds at once, as an exchange of half rows after every even round.
 * After an odd round the state therefore stands one ShiftRows behind. Round keys of odd rounds are
 * stored that way, and MixColumns has a form for it.
 *
 * The circuit of SubBytes leaves out the constant of its affine map, 0x63 in every byte. Round
 * keys from the first round on contain it, because MixColumns maps it to itself.
 *
 * A round key is four words, little-endian: slice i of one block, at even bits, and slice i + 4,
 * at odd bits.
 */
#ifndef SELO_AES_SLICED_H
#define SELO_AES_SLICED_H

#include "../common/rotate.h"
#include "aes.h"

#if !SELO_AES_TABLES

/* SubBytes of every byte, without its constant. */
void selo_aes_sliced_substitute(uint32_t q[8]);

/* Columns of bytes to slices, and back: q[2 c + b] is column c of block b, row 0 lowest. */
void selo_aes_sliced_transpose(uint32_t q[8]);

/* q += the round key. */
#define AES_SLICED_ADD(i) \
    word = aes_load32(key + 4 * (i)); \
    part = word & 0x55555555; \
    q[i] ^= part | part << 1; \
    part = word & 0xaaaaaaaa; \
    q[(i) + 4] ^= part | part >> 1;

SELO_INLINE void aes_sliced_add_key(uint32_t q[8], const uint8_t key[16])
{
    uint32_t word, part;
    AES_SLICED_ADD(0) AES_SLICED_ADD(1) AES_SLICED_ADD(2) AES_SLICED_ADD(3)
}

/* The blocks at in to slices; without a second one, zeros. */
SELO_INLINE void aes_sliced_load(uint32_t q[8], const uint8_t *in, uint8_t blocks)
{
    for (uint8_t c = 0; c < 4; c++) {
        q[2 * c] = aes_load32(in + 4 * c);
        q[2 * c + 1] = blocks == 2 ? aes_load32(in + 16 + 4 * c) : 0;
    }
    selo_aes_sliced_transpose(q);
}

SELO_INLINE void aes_sliced_store(uint8_t *out, uint32_t q[8], uint8_t blocks)
{
    selo_aes_sliced_transpose(q);
    for (uint8_t c = 0; c < 4; c++) {
        aes_store32(out + 4 * c, q[2 * c]);
        if (blocks == 2) {
            aes_store32(out + 16 + 4 * c, q[2 * c + 1]);
        }
    }
}

/* ShiftRows twice, which is its own inverse: rows 1 and 3 exchange their halves. */
SELO_INLINE void aes_sliced_shift_twice(uint32_t q[8])
{
#define AES_SLICED_SHIFT(i) \
    change = (q[i] ^ q[i] >> 4) & 0x0f000f00; \
    q[i] ^= change ^ change << 4;

    uint32_t change;
    AES_SLICED_SHIFT(0) AES_SLICED_SHIFT(1) AES_SLICED_SHIFT(2) AES_SLICED_SHIFT(3)
    AES_SLICED_SHIFT(4) AES_SLICED_SHIFT(5) AES_SLICED_SHIFT(6) AES_SLICED_SHIFT(7)
}

/* Each row's next row, or the one after it: row r takes the place of row r - by. If the state is
 * `late` by one ShiftRows, the row stands by columns behind. */
SELO_INLINE uint32_t aes_sliced_row(uint32_t word, uint8_t by, uint8_t late)
{
    const uint32_t row = selo_rotate_right(word, (uint8_t)(8 * by));
    if (!late) {
        return row;
    }
    return by == 1 ? (row >> 2 & 0x3f3f3f3f) | (row << 6 & 0xc0c0c0c0)
                   : (row >> 4 & 0x0f0f0f0f) | (row << 4 & 0xf0f0f0f0);
}

/* MixColumns [FIPS197, 5.1.3]: a' = 2 (a + b) + b + (c + d), slice by slice. Bit i of 2 (a + b)
 * is bit i - 1 of a + b, and bit 7 of it comes back at bits 0, 1, 3 and 4. */
#define AES_SLICED_MIX(i, back) \
    next = aes_sliced_row(q[i], 1, late); \
    sum = q[i] ^ next; \
    q[i] = below ^ next ^ aes_sliced_row(sum, 2, late) ^ (back); \
    below = sum;

SELO_INLINE void aes_sliced_mix(uint32_t q[8], uint8_t late)
{
    const uint32_t top = q[7] ^ aes_sliced_row(q[7], 1, late);
    uint32_t next, sum, below = top;

    AES_SLICED_MIX(0, 0)
    AES_SLICED_MIX(1, top)
    AES_SLICED_MIX(2, 0)
    AES_SLICED_MIX(3, top)
    AES_SLICED_MIX(4, top)
    AES_SLICED_MIX(5, 0)
    AES_SLICED_MIX(6, 0)
    AES_SLICED_MIX(7, 0)
    (void)below;
}

/* InvMixColumns [FIPS197, 5.3.3]: 4 (a + c) is added to a and c, as in aes_state.h. */
SELO_INLINE void aes_sliced_inverse_mix(uint32_t q[8], uint8_t late)
{
    uint32_t sum[8];

    for (uint8_t i = 0; i < 8; i++) {
        sum[i] = q[i] ^ aes_sliced_row(q[i], 2, late);
    }
    /* 4 times a byte: bit i takes bit i - 2; bits 6 and 7 come back as 0x1b and 0x36. */
    q[0] ^= sum[6];
    q[1] ^= sum[6] ^ sum[7];
    q[2] ^= sum[0] ^ sum[7];
    q[3] ^= sum[1] ^ sum[6];
    q[4] ^= sum[2] ^ sum[6] ^ sum[7];
    q[5] ^= sum[3] ^ sum[7];
    q[6] ^= sum[4];
    q[7] ^= sum[5];
    aes_sliced_mix(q, late);
}

#endif

#endif
