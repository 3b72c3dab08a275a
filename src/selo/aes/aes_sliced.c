/*
 * AES in words of 64 bits, for CPUs without vectors and instructions for AES [FIPS197, 5].
 *
 * A block is two words, and a byte of a word is a byte of the block. For SubBytes the bits of the
 * block go into eight words, one for each place in a byte, and a circuit of 113 gates computes all 16
 * bytes at once [BOYAR2012]. The other steps work on the two words, byte by byte.
 *
 * Time: no branch and no address depends on a key or a block, and nothing is multiplied.
 */
#include "aes_wide.h"

#if SELO_AES_WIDE

static const uint64_t ones = 0x0101010101010101;

struct state {
    uint64_t half[2]; /* columns 0 and 1, columns 2 and 3 */
};

/* The S-box on each bit of the words: q[0] has the highest bits of the bytes, q[7] the lowest.
 * The names are those of [BOYAR2012]. The length is the circuit's. */
static void sbox(uint64_t q[8])
{
    const uint64_t x0 = q[0], x1 = q[1], x2 = q[2], x3 = q[3];
    const uint64_t x4 = q[4], x5 = q[5], x6 = q[6], x7 = q[7];

    const uint64_t y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5, t0 = x1 ^ x2;
    const uint64_t y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14, y2 = y1 ^ x0, y5 = y1 ^ x6;
    const uint64_t y3 = y5 ^ y8, t1 = x4 ^ y12, y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7;
    const uint64_t y10 = y15 ^ t0, y11 = y20 ^ y9, y7 = x7 ^ y11, y17 = y10 ^ y11;
    const uint64_t y19 = y10 ^ y8, y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = x0 ^ y16;

    const uint64_t t2 = y12 & y15, t4 = (y3 & y6) ^ t2, t6 = (y4 & x7) ^ t2, t7 = y13 & y16;
    const uint64_t t9 = (y5 & y1) ^ t7, t11 = (y2 & y7) ^ t7, t12 = y9 & y11;
    const uint64_t t14 = (y14 & y17) ^ t12, t16 = (y8 & y10) ^ t12;
    const uint64_t t21 = t4 ^ t14 ^ y20, t22 = t6 ^ t16 ^ y19;
    const uint64_t t23 = t9 ^ t14 ^ y21, t24 = t11 ^ t16 ^ y18;
    const uint64_t t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26;
    const uint64_t t29 = (t25 & t27) ^ t22, t33 = ((t22 ^ t26) & (t23 ^ t24)) ^ t24;
    const uint64_t t36 = t24 & (t27 ^ t33), t37 = t36 ^ t23 ^ t33;
    const uint64_t t40 = t25 ^ (t29 & (t27 ^ t36)), t41 = t40 ^ t37, t42 = t29 ^ t33;
    const uint64_t t43 = t29 ^ t40, t44 = t33 ^ t37, t45 = t42 ^ t41;

    const uint64_t z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16;
    const uint64_t z4 = t40 & y1, z5 = t29 & y7, z6 = t42 & y11, z7 = t45 & y17;
    const uint64_t z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3, z11 = t33 & y4;
    const uint64_t z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2, z15 = t42 & y9;
    const uint64_t z16 = t45 & y14, z17 = t41 & y8;

    const uint64_t t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t53 = z0 ^ z3;
    const uint64_t t57 = z2 ^ z12 ^ t53, t58 = z4 ^ t46, t59 = z3 ^ z6 ^ z7;
    const uint64_t t62 = z7 ^ z8 ^ t58, t63 = z9 ^ z10 ^ t58, t64 = z4 ^ t59;
    const uint64_t t65 = z14 ^ t57 ^ t62, t66 = z1 ^ t63, s3 = t53 ^ t66;

    q[0] = t59 ^ t63;
    q[1] = ~(t64 ^ s3);
    q[2] = ~(z16 ^ z17 ^ t64 ^ t65);
    q[3] = s3;
    q[4] = z2 ^ z5 ^ t66;
    q[5] = t47 ^ t65;
    q[6] = ~(z12 ^ t48 ^ t62);
    q[7] = ~(t48 ^ t46 ^ t57);
}

static inline void slice(uint64_t q[8], struct state s)
{
    for (uint8_t i = 0; i < 8; i++) {
        q[i] = (s.half[0] >> (7 - i) & ones) | (s.half[1] >> (7 - i) & ones) << 1;
    }
}

static inline struct state join(const uint64_t q[8])
{
    struct state s = {{0, 0}};

    for (uint8_t i = 0; i < 8; i++) {
        s.half[0] |= (q[i] & ones) << (7 - i);
        s.half[1] |= (q[i] >> 1 & ones) << (7 - i);
    }
    return s;
}

static struct state substitute(struct state s)
{
    uint64_t q[8];

    slice(q, s);
    sbox(q);
    return join(q);
}

/* The inverse of the affine map of the S-box: bit i is the sum of bits i + 2, i + 5 and i + 7, and
 * of 0x05 [FIPS197, 5.3.2]. q[0] is bit 7. */
static inline void inverse_affine(uint64_t q[8])
{
    uint64_t old[8];

    memcpy(old, q, sizeof old);
    for (uint8_t i = 0; i < 8; i++) {
        q[i] = old[(i + 6) & 7] ^ old[(i + 3) & 7] ^ old[(i + 1) & 7];
    }
    q[5] = ~q[5];
    q[7] = ~q[7];
}

/* The S-box is the inversion and an affine map. So its inverse is that of the map, the S-box,
 * and that of the map again. */
static struct state inverse_substitute(struct state s)
{
    uint64_t q[8];

    slice(q, s);
    inverse_affine(q);
    sbox(q);
    inverse_affine(q);
    return join(q);
}

/* ShiftRows [FIPS197, 5.1.2]: byte r of column c comes from column c + r, so that a half takes
 * each of its bytes from itself or from the other half. Towards the left if `left` is 1, else
 * back. */
static inline struct state shift_rows(struct state s, uint8_t left)
{
    const uint64_t a = s.half[0], b = s.half[1];
    const uint64_t row_0 = 0x000000ff000000ff, row_2 = 0x00ff000000ff0000;
    const uint64_t first = left ? 0x000000000000ff00 : 0x00000000ff000000; /* moves to the right */
    const uint64_t third = left ? 0x00000000ff000000 : 0x000000000000ff00;
    struct state r;

    /* Columns 0 and 1 take row 1 from columns 1 and 2, row 2 from columns 2 and 3, and row 3 from
     * columns 3 and 0. */
    r.half[0] = (a & row_0) | (b & row_2) | (a >> 32 & first) | (b & first) << 32 |
                (b >> 32 & third) | (a & third) << 32;
    r.half[1] = (b & row_0) | (a & row_2) | (b >> 32 & first) | (a & first) << 32 |
                (a >> 32 & third) | (b & third) << 32;
    return r;
}

static inline uint64_t xtime(uint64_t x)
{
    const uint64_t top = x >> 7 & ones;

    return (x & 0x7f7f7f7f7f7f7f7f) << 1 ^ top ^ top << 1 ^ top << 3 ^ top << 4;
}

/* The rows of both columns move up by one place, and by two. */
static inline uint64_t rows_by_1(uint64_t x)
{
    return (x >> 8 & 0x00ffffff00ffffff) | (x & 0x000000ff000000ff) << 24;
}

static inline uint64_t rows_by_2(uint64_t x)
{
    return (x >> 16 & 0x0000ffff0000ffff) | (x & 0x0000ffff0000ffff) << 16;
}

/* MixColumns [FIPS197, 5.1.3]: a' = 2 (a ^ b) ^ b ^ (c ^ d). */
static inline uint64_t mix_columns(uint64_t x)
{
    const uint64_t next = rows_by_1(x), sum = x ^ next;

    return xtime(sum) ^ next ^ rows_by_2(sum);
}

/* The polynomial of InvMixColumns is that of MixColumns times (4x^2 + 5) [FIPS197, 5.3.3]. */
static inline uint64_t inverse_mix_columns(uint64_t x)
{
    return mix_columns(x ^ xtime(xtime(x ^ rows_by_2(x))));
}

static inline void add_round_key(struct state *s, const uint8_t *round_key)
{
    uint64_t key[2];

    memcpy(key, round_key, sizeof key);
    s->half[0] ^= key[0];
    s->half[1] ^= key[1];
}

static uint32_t substitute_word(uint32_t word)
{
    struct state s = {{word, 0}};

    return (uint32_t)substitute(s).half[0];
}

void selo_aes_setup_sliced(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size,
                           uint8_t words)
{
    aes_expand(round_keys, raw, key_size, words, substitute_word);
}

void selo_aes_encrypt_sliced(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                             uint8_t rounds)
{
    struct state s;

    memcpy(s.half, in, 16);
    add_round_key(&s, round_keys);
    for (;;) {
        round_keys += 16;
        s = shift_rows(substitute(s), 1);
        if (--rounds == 0) {
            break;
        }
        s.half[0] = mix_columns(s.half[0]);
        s.half[1] = mix_columns(s.half[1]);
        add_round_key(&s, round_keys);
    }
    add_round_key(&s, round_keys);
    memcpy(out, s.half, 16);
}

void selo_aes_decrypt_sliced(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                             uint8_t rounds)
{
    struct state s;

    round_keys += 16 * rounds;
    memcpy(s.half, in, 16);
    add_round_key(&s, round_keys);
    for (;;) {
        round_keys -= 16;
        s = shift_rows(inverse_substitute(s), 0);
        add_round_key(&s, round_keys);
        if (--rounds == 0) {
            break;
        }
        s.half[0] = inverse_mix_columns(s.half[0]);
        s.half[1] = inverse_mix_columns(s.half[1]);
    }
    memcpy(out, s.half, 16);
}

#endif
