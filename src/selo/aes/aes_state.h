/*
 * The steps of AES on a state of 16 bytes, in the order of the block: column by column
 * [FIPS197, 3.4].
 *
 * Every index is a constant and every function is inlined. A local uint8_t s[16] therefore
 * becomes 16 variables, which AVR keeps in registers from the first round to the last.
 */
#ifndef SELO_AES_STATE_H
#define SELO_AES_STATE_H

#include "aes.h"

SELO_INLINE void aes_copy(uint8_t to[16], const uint8_t from[16])
{
    to[0] = from[0], to[1] = from[1], to[2] = from[2], to[3] = from[3];
    to[4] = from[4], to[5] = from[5], to[6] = from[6], to[7] = from[7];
    to[8] = from[8], to[9] = from[9], to[10] = from[10], to[11] = from[11];
    to[12] = from[12], to[13] = from[13], to[14] = from[14], to[15] = from[15];
}

/* AddRoundKey [FIPS197, 5.1.4] */
SELO_INLINE void aes_add_round_key(uint8_t s[16], const uint8_t key[16])
{
    s[0] ^= key[0], s[1] ^= key[1], s[2] ^= key[2], s[3] ^= key[3];
    s[4] ^= key[4], s[5] ^= key[5], s[6] ^= key[6], s[7] ^= key[7];
    s[8] ^= key[8], s[9] ^= key[9], s[10] ^= key[10], s[11] ^= key[11];
    s[12] ^= key[12], s[13] ^= key[13], s[14] ^= key[14], s[15] ^= key[15];
}

/* Half of AddRoundKey, for s or s + 8. Two halves are faster than the whole where avr-gcc finds
 * no register for the pointer. Measure before you replace one by the other. */
SELO_INLINE void aes_add_half(uint8_t s[8], const uint8_t half[8])
{
    SELO_PREFER_Z(half);
    s[0] ^= half[0], s[1] ^= half[1], s[2] ^= half[2], s[3] ^= half[3];
    s[4] ^= half[4], s[5] ^= half[5], s[6] ^= half[6], s[7] ^= half[7];
}

/* MixColumns [FIPS197, 5.1.3] of one column: a' = a ^ (a^b^c^d) ^ 2(a^b). b', c', d'
 * likewise. */
SELO_INLINE void aes_mix_column(uint8_t *a, uint8_t *b, uint8_t *c, uint8_t *d)
{
    uint8_t first = *a;
    uint8_t all = (uint8_t)(*a ^ *b ^ *c ^ *d);
    *a = (uint8_t)(*a ^ all ^ aes_xtime((uint8_t)(*a ^ *b)));
    *b = (uint8_t)(*b ^ all ^ aes_xtime((uint8_t)(*b ^ *c)));
    *c = (uint8_t)(*c ^ all ^ aes_xtime((uint8_t)(*c ^ *d)));
    *d = (uint8_t)(*d ^ all ^ aes_xtime((uint8_t)(*d ^ first)));
}

SELO_INLINE void aes_mix_columns(uint8_t s[16])
{
    aes_mix_column(&s[0], &s[1], &s[2], &s[3]);
    aes_mix_column(&s[4], &s[5], &s[6], &s[7]);
    aes_mix_column(&s[8], &s[9], &s[10], &s[11]);
    aes_mix_column(&s[12], &s[13], &s[14], &s[15]);
}

/* InvMixColumns [FIPS197, 5.3.3] of one column. Its polynomial is that of MixColumns times
 * (4x^2 + 5), so 4(a^c) and 4(b^d) are added first. */
SELO_INLINE void aes_inverse_mix_column(uint8_t *a, uint8_t *b, uint8_t *c, uint8_t *d)
{
    uint8_t even = aes_xtime(aes_xtime((uint8_t)(*a ^ *c)));
    uint8_t odd = aes_xtime(aes_xtime((uint8_t)(*b ^ *d)));
    *a ^= even, *b ^= odd, *c ^= even, *d ^= odd;
    aes_mix_column(a, b, c, d);
}

SELO_INLINE void aes_inverse_mix_columns(uint8_t s[16])
{
    aes_inverse_mix_column(&s[0], &s[1], &s[2], &s[3]);
    aes_inverse_mix_column(&s[4], &s[5], &s[6], &s[7]);
    aes_inverse_mix_column(&s[8], &s[9], &s[10], &s[11]);
    aes_inverse_mix_column(&s[12], &s[13], &s[14], &s[15]);
}

/* SubBytes and ShiftRows in one step [FIPS197, 5.1.1, 5.1.2]: each byte is written to its new
 * place, row by row. */
SELO_INLINE void aes_substitute_and_shift(uint8_t s[16])
{
    const uint8_t *sbox = selo_aes_sbox;
    uint8_t moved;

    s[0] = selo_flash_lookup(&sbox, s[0]);
    s[4] = selo_flash_lookup(&sbox, s[4]);
    s[8] = selo_flash_lookup(&sbox, s[8]);
    s[12] = selo_flash_lookup(&sbox, s[12]);

    moved = selo_flash_lookup(&sbox, s[1]);
    s[1] = selo_flash_lookup(&sbox, s[5]);
    s[5] = selo_flash_lookup(&sbox, s[9]);
    s[9] = selo_flash_lookup(&sbox, s[13]);
    s[13] = moved;

    moved = selo_flash_lookup(&sbox, s[2]);
    s[2] = selo_flash_lookup(&sbox, s[10]);
    s[10] = moved;
    moved = selo_flash_lookup(&sbox, s[6]);
    s[6] = selo_flash_lookup(&sbox, s[14]);
    s[14] = moved;

    moved = selo_flash_lookup(&sbox, s[15]);
    s[15] = selo_flash_lookup(&sbox, s[11]);
    s[11] = selo_flash_lookup(&sbox, s[7]);
    s[7] = selo_flash_lookup(&sbox, s[3]);
    s[3] = moved;
}

/* InvShiftRows and InvSubBytes in one step [FIPS197, 5.3.1, 5.3.2]. */
SELO_INLINE void aes_inverse_substitute_and_shift(uint8_t s[16])
{
    const uint8_t *sbox = selo_aes_inverse_sbox;
    uint8_t moved;

    s[0] = selo_flash_lookup(&sbox, s[0]);
    s[4] = selo_flash_lookup(&sbox, s[4]);
    s[8] = selo_flash_lookup(&sbox, s[8]);
    s[12] = selo_flash_lookup(&sbox, s[12]);

    moved = selo_flash_lookup(&sbox, s[13]);
    s[13] = selo_flash_lookup(&sbox, s[9]);
    s[9] = selo_flash_lookup(&sbox, s[5]);
    s[5] = selo_flash_lookup(&sbox, s[1]);
    s[1] = moved;

    moved = selo_flash_lookup(&sbox, s[2]);
    s[2] = selo_flash_lookup(&sbox, s[10]);
    s[10] = moved;
    moved = selo_flash_lookup(&sbox, s[6]);
    s[6] = selo_flash_lookup(&sbox, s[14]);
    s[14] = moved;

    moved = selo_flash_lookup(&sbox, s[3]);
    s[3] = selo_flash_lookup(&sbox, s[7]);
    s[7] = selo_flash_lookup(&sbox, s[11]);
    s[11] = selo_flash_lookup(&sbox, s[15]);
    s[15] = moved;
}

#endif
