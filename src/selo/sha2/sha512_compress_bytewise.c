/*
 * The compression function of SHA-512 [FIPS180-4, 6.4.2] for an 8-bit CPU.
 *
 * As in sha256_compress.c, the working variables are a window that slides down. Rotations by
 * multiples of 8 are address offsets of the loads. Each SELO_BASE makes the compiler load bytes
 * again instead of keeping them, because there are not enough registers.
 */
#include <string.h>

#include "../common/bytewise.h"
#include "../common/flash.h"
#include "sha2.h"

#if SELO_BYTEWISE && !SELO_NATIVE_SHA512

/* The word at `to` += x. This destroys x. */
#define ADD_TO(to, x)                  \
    do {                               \
        SELO_PAIR(term_);              \
        SELO_PAIR_OPAQUE(x);           \
        SELO_BASE(to);                 \
        SELO_PAIR_LOAD(term_, to, 0);  \
        SELO_PAIR_ADD(term_, x);       \
        SELO_PAIR_STORE(term_, to);    \
    } while (0)

/* to += from */
static SELO_APART void add(uint8_t to[8], const uint8_t from[8])
{
    SELO_PAIR(x);
    SELO_BASE(from);
    SELO_PAIR_LOAD(x, from, 0);
    ADD_TO(to, x);
}

/* to += sigma0(from): 1; 8; shift by 7 = 8 - 1. Of the byte that the rotation by 8 wraps around,
 * only the bit remains that the rotation left by 1 needs. */
static SELO_APART void add_small_sigma0(uint8_t to[8], const uint8_t from[8])
{
    SELO_PAIR(x);
    SELO_PAIR(y);
    SELO_BASE(from);
    SELO_PAIR_LOAD(x, from, 1);
    x_hi.byte[3] &= 0x80;
    SELO_PAIR_ROL1(x);
    SELO_BASE(from);
    SELO_PAIR_XOR_LOAD(x, from, 1);
    SELO_BASE(from);
    SELO_PAIR_LOAD(y, from, 0);
    SELO_PAIR_ROR1(y);
    SELO_PAIR_XOR(x, y);
    ADD_TO(to, x);
}

/* to += sigma1(from): 19 = 16 + 3; 61 = 64 - 3; shift by 6 = 8 - 2. Two bits of its wrapped byte
 * remain. */
static SELO_APART void add_small_sigma1(uint8_t to[8], const uint8_t from[8])
{
    uint8_t wrapped;
    SELO_PAIR(x);
    SELO_PAIR(y);
    SELO_BASE(from);
    SELO_PAIR_LOAD(x, from, 0);
    SELO_PAIR_ROL1(x);
    SELO_BASE(from);
    SELO_PAIR_XOR_LOAD(x, from, 1);
    wrapped = from[0] & 0x3f;
    x_hi.byte[3] ^= wrapped;
    SELO_PAIR_ROL1(x);
    SELO_PAIR_ROL1(x);
    SELO_BASE(from);
    SELO_PAIR_LOAD(y, from, 2);
    SELO_PAIR_ROR1(y);
    SELO_PAIR_ROR1(y);
    SELO_PAIR_ROR1(y);
    SELO_PAIR_XOR(x, y);
    ADD_TO(to, x);
}

/* Computes w[t] for the next 16 rounds in the slots of w[t - 16]. Offsets are modulo 128 bytes. */
static SELO_APART void schedule(uint8_t w[128])
{
    uint8_t t = 0;
    do {
        add_small_sigma1(w + t, w + ((uint8_t)(t + 8 * 14) & 127));
        add(w + t, w + ((uint8_t)(t + 8 * 9) & 127));
        add_small_sigma0(w + t, w + ((uint8_t)(t + 8 * 1) & 127));
        t = (uint8_t)(t + 8);
    } while (t != 128);
}

/* The word below the window becomes K + W. */
static SELO_APART void start_round(uint8_t to[8], const uint8_t w[8], const uint64_t *k)
{
    const uint32_t *half = (const uint32_t *)(const void *)k;
    SELO_PAIR(x);
    SELO_PAIR(y);
    x_lo.word = selo_flash_u32(half);
    x_hi.word = selo_flash_u32(half + 1);
    SELO_PAIR_LOAD(y, w, 0);
    SELO_PAIR_ADD(x, y);
    SELO_PAIR_STORE(x, to);
}

/* Byte i of Ch = g ^ (e & (f ^ g)) and of Maj = (a & b) | (c & (a | b)), added to b. x is e or a;
 * the other two words follow it. */
#define CHOOSE(b, x, i)                                   \
    do {                                                  \
        uint8_t f_ = (x)[8 + (i)], g_ = (x)[16 + (i)];    \
        f_ ^= g_;                                         \
        f_ &= (x)[i];                                     \
        (b) = f_ ^ g_;                                    \
    } while (0)
#define MAJORITY(b, x, i)                                 \
    do {                                                  \
        uint8_t a_ = (x)[i], b_ = (x)[8 + (i)];           \
        uint8_t any_ = a_ | b_;                           \
        a_ &= b_;                                         \
        any_ &= (x)[16 + (i)];                            \
        (b) = a_ | any_;                                  \
    } while (0)
#define EACH_BYTE(r, FUNCTION, x)          \
    do {                                   \
        FUNCTION(r##_lo.byte[0], x, 0);    \
        FUNCTION(r##_lo.byte[1], x, 1);    \
        FUNCTION(r##_lo.byte[2], x, 2);    \
        FUNCTION(r##_lo.byte[3], x, 3);    \
        FUNCTION(r##_hi.byte[0], x, 4);    \
        FUNCTION(r##_hi.byte[1], x, 5);    \
        FUNCTION(r##_hi.byte[2], x, 6);    \
        FUNCTION(r##_hi.byte[3], x, 7);    \
    } while (0)

/* v: the word below the window, where the sum of the round becomes the new a; a to h are at v + 8
 * to v + 64. */
static SELO_APART void round_of(uint8_t *v)
{
    SELO_PAIR(x);
    SELO_PAIR(y);

    SELO_BASE(v);
    EACH_BYTE(y, CHOOSE, v + 40);
    SELO_PAIR_OPAQUE(y);
    v += 8;
    SELO_BASE(v);
    SELO_PAIR_LOAD(x, v + 56, 0); /* h */
    SELO_PAIR_ADD(x, y);
    SELO_PAIR_OPAQUE(x);
    v -= 8;
    SELO_BASE(v);
    SELO_PAIR_LOAD(y, v, 0);
    SELO_PAIR_ADD(x, y);
    SELO_PAIR_STORE(x, v);
    SELO_BASE(v);

    /* Sigma1(e): 14 = 16 - 2; 18 = 16 + 2; 41 = 40 + 1 */
    SELO_PAIR_LOAD(x, v + 40, 2);
    SELO_PAIR_ROR1(x);
    SELO_PAIR_XOR_LOAD(x, v + 40, 5);
    SELO_PAIR_ROR1(x);
    SELO_BASE(v);
    SELO_PAIR_LOAD(y, v + 40, 2);
    SELO_PAIR_ROL1(y);
    SELO_PAIR_ROL1(y);
    SELO_PAIR_XOR(x, y);
    SELO_PAIR_OPAQUE(x);
    SELO_BASE(v);
    SELO_PAIR_LOAD(y, v, 0);
    SELO_PAIR_ADD(x, y);
    SELO_PAIR_STORE(x, v);
    SELO_BASE(v);
    SELO_PAIR_LOAD(y, v + 32, 0); /* d becomes e */
    SELO_PAIR_ADD(y, x);
    SELO_PAIR_STORE(y, v + 32);
    SELO_BASE(v);

    /* Sigma0(a): 28 = 24 + 4; 34 = 32 + 2; 39 = 40 - 1 */
    SELO_PAIR_LOAD(x, v + 8, 3);
    SELO_PAIR_ROR1(x);
    SELO_PAIR_ROR1(x);
    SELO_PAIR_XOR_LOAD(x, v + 8, 4);
    SELO_PAIR_ROR1(x);
    SELO_PAIR_ROR1(x);
    SELO_BASE(v);
    SELO_PAIR_LOAD(y, v + 8, 5);
    SELO_PAIR_ROL1(y);
    SELO_PAIR_XOR(x, y);
    SELO_PAIR_OPAQUE(x);
    SELO_BASE(v);
    SELO_PAIR_LOAD(y, v, 0);
    SELO_PAIR_ADD(x, y);
    SELO_BASE(v);
    EACH_BYTE(y, MAJORITY, v + 8);
    SELO_PAIR_ADD(y, x);
    SELO_PAIR_STORE(y, v);
}

void selo_sha512_compress(uint64_t state[8], uint64_t block[16])
{
    uint64_t window[8 + 16];
    uint8_t *w = (uint8_t *)block;
    const uint64_t *k = selo_sha512_constants;

    for (uint8_t t = 0; t < 128; t = (uint8_t)(t + 8)) { /* big-endian to little-endian */
        for (uint8_t i = 0; i < 4; i++) {
            uint8_t byte = w[t + i];
            w[t + i] = w[t + 7 - i];
            w[t + 7 - i] = byte;
        }
    }
    memcpy(window, state, 64);
    for (;;) {
        uint8_t *v = (uint8_t *)(window + 16);
        memcpy(v, window, 64);
        for (uint8_t t = 0; t < 128; t = (uint8_t)(t + 8)) {
            v -= 8;
            start_round(v, w + t, k);
            round_of(v);
            k++;
        }
        if (k == selo_sha512_constants + 80) {
            break;
        }
        schedule(w);
    }
    for (uint8_t i = 0; i < 8; i++) {
        add((uint8_t *)(state + i), (const uint8_t *)(window + i));
    }
}

#endif
