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

/* The S-box on each bit of the words: q[0] has the highest bits of the bytes, q[7] the lowest. */
static void sbox(uint64_t q[8])
{
#define WORD uint64_t
#define BIT(place) q[place]
#include "aes_circuit.inc"
#undef BIT
#undef WORD
    q[1] = ~q[1];
    q[2] = ~q[2];
    q[6] = ~q[6];
    q[7] = ~q[7];
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
