/*
 * The Ascon permutation [SP800-232, 3] on bytes, for an 8-bit CPU. A rotation is
 * made of whole bytes, which are addresses, and of as few single bits as its
 * multiple of 8 nearby leaves, which both rotations of a word share where they can.
 */
#include "../common/bytewise.h"
#include "ascon.h"

#if SELO_BYTEWISE && !SELO_NATIVE_ASCON_PERMUTE

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

/* Adds x to the word at p. */
#define ADD_TO(p, x)                  \
    do {                              \
        SELO_BASE(p);                 \
        SELO_PAIR_XOR_LOAD(x, p, 0);  \
        SELO_PAIR_STORE(x, p);        \
    } while (0)

/* The linear diffusion layer [SP800-232, 3.4]; rotations are to the right. */
static SELO_APART void diffuse_0(uint8_t *p) /* 19 = 16 + 3; 28 = 24 + 1 + 3 */
{
    SELO_PAIR(x);
    SELO_PAIR_LOAD(x, p, 3);
    SELO_PAIR_ROR1(x);
    SELO_BASE(p);
    SELO_PAIR_XOR_LOAD(x, p, 2);
    SELO_PAIR_ROR1(x);
    SELO_PAIR_ROR1(x);
    SELO_PAIR_ROR1(x);
    ADD_TO(p, x);
}

static SELO_APART void diffuse_1(uint8_t *p) /* 61 = -2 - 1; 39 = 40 - 1 */
{
    SELO_PAIR(x);
    SELO_PAIR_LOAD(x, p, 0);
    SELO_PAIR_ROL1(x);
    SELO_PAIR_ROL1(x);
    SELO_BASE(p);
    SELO_PAIR_XOR_LOAD(x, p, 5);
    SELO_PAIR_ROL1(x);
    ADD_TO(p, x);
}

static SELO_APART void diffuse_2(uint8_t *p) /* 1; 6 = 8 - 2 */
{
    SELO_PAIR(x);
    SELO_PAIR(y);
    SELO_PAIR_LOAD(x, p, 1);
    SELO_PAIR_ROL1(x);
    SELO_PAIR_ROL1(x);
    SELO_BASE(p);
    SELO_PAIR_LOAD(y, p, 0);
    SELO_PAIR_ROR1(y);
    SELO_PAIR_XOR(x, y);
    ADD_TO(p, x);
}

static SELO_APART void diffuse_3(uint8_t *p) /* 10 = 8 + 1 + 1; 17 = 16 + 1 */
{
    SELO_PAIR(x);
    SELO_PAIR_LOAD(x, p, 1);
    SELO_PAIR_ROR1(x);
    SELO_BASE(p);
    SELO_PAIR_XOR_LOAD(x, p, 2);
    SELO_PAIR_ROR1(x);
    ADD_TO(p, x);
}

static SELO_APART void diffuse_4(uint8_t *p) /* 7 = 8 - 1; 41 = 40 + 1 */
{
    SELO_PAIR(x);
    SELO_PAIR(y);
    SELO_PAIR_LOAD(x, p, 1);
    SELO_PAIR_ROL1(x);
    SELO_BASE(p);
    SELO_PAIR_LOAD(y, p, 5);
    SELO_PAIR_ROR1(y);
    SELO_PAIR_XOR(x, y);
    ADD_TO(p, x);
}

void selo_ascon_permute(uint64_t state[5], uint8_t rounds)
{
    uint8_t *p = (uint8_t *)state;
    /* f0, e1, d2, ... 4b; with fewer rounds those at the end [SP800-232, 3.2] */
    uint8_t constant = (uint8_t)(0x3c + rounds * 0x0f);

    do {
        p[16] ^= constant;
        constant = (uint8_t)(constant - 0x0f);
        substitute(p);
        diffuse_0(p);
        diffuse_1(p + 8);
        diffuse_2(p + 16);
        diffuse_3(p + 24);
        diffuse_4(p + 32);
    } while (constant != 0x3c);
}

#endif
