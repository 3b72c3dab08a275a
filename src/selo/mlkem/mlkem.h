/*
 * Internal declarations of ML-KEM [FIPS203].
 *
 * A polynomial is in one of three forms:
 *  - int16_t[256]: coefficients of any size that each function states in multiples of q = 3329;
 *  - packed, uint8_t[384]: ByteEncode12 [FIPS203, 4.2.1], coefficients from 0 to q - 1;
 *  - small, uint8_t[256]: coefficients of noise, as int8_t; in code on words the stream that they
 *    come from.
 *
 * Arithmetic modulo q on an 8-bit CPU. A product of two numbers is divided by 2^16 modulo q
 * [MONTGOMERY1985]. q is 13 * 256 + 1, so a multiple of q that ends in the byte t is
 * t + 13 * t * 256: each of the two bytes to remove costs one multiplication. mlkem_words.h has the
 * arithmetic of other CPUs, and the files that end in _words the functions that differ there.
 *
 * Time: no branch and no address depends on a secret. Those of the matrix depend on rho, which is
 * public. selo_mlkem_product needs a multiplier of constant time.
 */
#ifndef SELO_MLKEM_INTERNAL_H
#define SELO_MLKEM_INTERNAL_H

#include "../../selo_mlkem.h"
#include "../common/compiler.h"
#include "../common/flash.h"
#include "../native/api.h"

enum {
    SELO_MLKEM_Q = 3329,
    SELO_MLKEM_PACKED = 384,
    SELO_MLKEM_U = 320,  /* bytes of a polynomial of u in a ciphertext, d = 10 */
    SELO_MLKEM_V = 128,  /* those of v, d = 4 */
    SELO_MLKEM_TO_MONTGOMERY = 1353, /* 2^32 modulo q: the product with it multiplies by 2^16 */
    SELO_MLKEM_SCALE = 1441          /* 2^32 / 128 modulo q */
};

#if SELO_MLKEM_WORDS

#include "mlkem_words.h"

#else

extern const uint16_t selo_mlkem_zetas[128];

/* t / 2^16 modulo q, above t / 2^16 - q and up to t / 2^16, for t from 0 to 2^32 - 1 less 2^16 q. q
 * times 62209 is 1 modulo 2^16. The difference is a multiple of 2^16, so its upper half is the exact
 * quotient. */
SELO_INLINE int16_t selo_mlkem_reduce(uint32_t t)
{
    const uint16_t multiple = (uint16_t)((uint16_t)t * (uint32_t)62209);
    return (int16_t)(uint16_t)((t - (uint32_t)multiple * SELO_MLKEM_Q) >> 16);
}

/* a * b / 2^16 modulo q, for b from 0 to q: above a b / 2^16 - q and up to a b / 2^16. Without a
 * product of signed numbers, for which avr-gcc calls a function that branches on the sign. */
SELO_INLINE int16_t selo_mlkem_product(int16_t a, uint16_t b)
{
    const uint16_t bits = (uint16_t)a;
    const uint16_t of_sign = b & (uint16_t)(0u - (bits >> 15)); /* a is bits - 2^16 then */
    return (int16_t)(selo_mlkem_reduce((uint32_t)bits * b) - (int16_t)of_sign);
}

/* x / q, rounded down. 157 / 2^11 is a little less than 256 / q, so the estimate is the quotient
 * or one less. */
SELO_INLINE uint8_t selo_mlkem_quotient(uint16_t x)
{
    const uint8_t estimate = (uint8_t)((uint16_t)(x >> 8) * 157u >> 11);
    const uint16_t rest = (uint16_t)(x - estimate * (uint16_t)SELO_MLKEM_Q);
    return (uint8_t)(estimate + (uint8_t)((uint16_t)(SELO_MLKEM_Q - 1 - rest) >> 15));
}

/* x plus a multiple of q, from 0 to 1.14 q, for x from -9.8 q to 9.6 q. */
SELO_INLINE uint16_t selo_mlkem_shorten(int16_t x)
{
    const uint16_t up = (uint16_t)((uint16_t)x + 10u * SELO_MLKEM_Q);
    const uint8_t estimate = (uint8_t)((uint16_t)(up >> 8) * 157u >> 11);
    return (uint16_t)(up - estimate * (uint16_t)SELO_MLKEM_Q);
}

/* x modulo q, from 0 to q - 1, for the same x. */
SELO_INLINE uint16_t selo_mlkem_canonical(int16_t x)
{
    const uint16_t low = (uint16_t)(selo_mlkem_shorten(x) - SELO_MLKEM_Q);
    return (uint16_t)(low + (SELO_MLKEM_Q & (uint16_t)(0u - (low >> 15))));
}

#endif

/* x * 2^16 modulo q, within 1.3 q. */
SELO_INLINE int16_t selo_mlkem_to_montgomery(int16_t x)
{
#if SELO_MLKEM_WORDS
    return (int16_t)selo_mlkem_times(x, SELO_MLKEM_Z_OF_MONTGOMERY);
#else
    return selo_mlkem_product(x, SELO_MLKEM_TO_MONTGOMERY);
#endif
}

union selo_mlkem_polynomial {
    int16_t coefficients[256];
    uint8_t bytes[512];
};

/* mlkem_sample.c
 * sum += A * b, where the entry of the matrix comes from SHAKE128(rho || first || second)
 * [FIPS203, algorithm 7]. b is packed. */
void selo_mlkem_add_matrix(int16_t sum[256], struct selo_shake *sponge, const uint8_t rho[32],
                           uint8_t first, uint8_t second, const uint8_t b[384]);
/* Noise from SHAKE256(seed || nonce) [FIPS203, algorithm 8]; eta is 2 or 3. */
void selo_mlkem_noise(uint8_t small[256], struct selo_shake *sponge, const uint8_t seed[32],
                      uint8_t nonce, uint8_t eta);
/* The noise as int16_t, or added to a sum (noise of eta 2). small may begin where poly begins. */
void selo_mlkem_expand_bytes(int16_t poly[256], const uint8_t small[256]);
void selo_mlkem_expand_words(int16_t poly[256], const uint8_t small[256], uint8_t eta);
void selo_mlkem_add_small(int16_t sum[256], const uint8_t small[256]);
#if SELO_MLKEM_WORDS
#define selo_mlkem_expand selo_mlkem_expand_words
#else
#define selo_mlkem_expand(poly, small, eta) selo_mlkem_expand_bytes(poly, small)
#endif

/* mlkem_code.c
 * All of these work in place too: the output may begin where the input begins. The coefficients of
 * an input are those of selo_mlkem_canonical, and those to compress from -2 q to 2 q. */
void selo_mlkem_pack(uint8_t packed[384], const int16_t poly[256]);
void selo_mlkem_compress_u(uint8_t out[320], const int16_t poly[256]);
void selo_mlkem_compress_v(uint8_t out[128], const int16_t poly[256]);
/* 1 if each coefficient is below q, else 0 [FIPS203, 7.2]. Public input. `size` is a multiple of 6. */
uint8_t selo_mlkem_in_range(const uint8_t *packed, size_t size);
/* poly = u, from 0 to q - 1. poly must not overlap in. */
void selo_mlkem_decompress_u(int16_t poly[256], const uint8_t in[320]);
/* message = Compress1(v - poly) [FIPS203, algorithm 15, 6 and 7]. */
void selo_mlkem_message(uint8_t message[32], const int16_t poly[256], const uint8_t v[128]);
#if SELO_MLKEM_WORDS /* six bytes of the packed form for each four coefficients */
void selo_mlkem_unpack(int16_t *poly, const uint8_t *packed, uint8_t quads);
#endif

#if SELO_MLKEM_WORDS
/* selo_mlkem_multiply_add of native/api.h, for bytes that come alone. */
SELO_INLINE void selo_mlkem_multiply_add(int16_t sum[4], const uint8_t a[6], const uint8_t b[6],
                                         uint8_t quad)
{
    int16_t four[4];
    selo_mlkem_unpack(four, a, 1);
    selo_mlkem_multiply_quads(sum, four, b, quad | 1u << 8);
}
#endif

/* mlkem_encrypt.c
 * sum += a * b, of which a is a polynomial that selo_mlkem_ntt has made and this may pack in place. */
void selo_mlkem_add_transformed(int16_t sum[256], union selo_mlkem_polynomial *a,
                                const uint8_t b[384]);
/* sum += a * b, both packed. */
void selo_mlkem_add_product(int16_t sum[256], const uint8_t a[384], const uint8_t b[384]);
/* A row of u, without its noise and not transformed back, to a row of the ciphertext in place.
 * small is room for 256 bytes. */
void selo_mlkem_finish_u(int16_t sum[256], uint8_t small[256], struct selo_shake *sponge,
                         const uint8_t seed[32], uint8_t nonce);
void selo_mlkem_finish_v(int16_t sum[256], uint8_t small[256], struct selo_shake *sponge,
                         const uint8_t seed[32], uint8_t nonce, const uint8_t message[32]);

/* What the functions on whole keys share: room for two polynomials and a sponge. */
struct selo_mlkem_work {
    struct selo_shake sponge;
    union selo_mlkem_polynomial sum, other;
};

/* The vector y or s of `ranks` polynomials, transformed and packed, from noise of the nonces 0, 1
 * and so on. Uses other. */
void selo_mlkem_noise_vector(uint8_t *packed, struct selo_mlkem_work *work, const uint8_t seed[32],
                             uint8_t ranks);
/* Row `row` of a ciphertext to work->sum: u for rows below `ranks`, then v [FIPS203, algorithm 14].
 * y is the vector of selo_mlkem_noise_vector. Uses other. */
void selo_mlkem_encrypt_row(struct selo_mlkem_work *work, const uint8_t *y, const uint8_t *key,
                            uint8_t ranks, uint8_t row, const uint8_t seed[32],
                            const uint8_t message[32]);
/* out = G(a || b), 64 bytes [FIPS203, 4.1]. */
void selo_mlkem_g(uint8_t out[64], struct selo_shake *sponge, const uint8_t a[32], const uint8_t *b,
                  uint8_t b_size);

/* mlkem_keygen.c, mlkem_encapsulate.c, mlkem_decapsulate.c
 * The functions of selo_mlkem.h for any number of ranks (k), 2 or 3. y is room for the vector. */
void selo_mlkem_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t seed[64],
                       uint8_t ranks);
enum selo_status selo_mlkem_encapsulate(uint8_t *ciphertext, uint8_t secret[32], const uint8_t *key,
                                        const uint8_t message[32], uint8_t *y, uint8_t ranks);
void selo_mlkem_decapsulate(uint8_t secret[32], const uint8_t *key, const uint8_t *ciphertext,
                            uint8_t *y, uint8_t ranks);
enum selo_status selo_mlkem_check_private_key(const uint8_t *key, uint8_t ranks);

/* The sizes of keys and ciphertexts. */
#define SELO_MLKEM_PUBLIC_BYTES(ranks) (SELO_MLKEM_PACKED * (ranks) + 32)
#define SELO_MLKEM_CIPHERTEXT_BYTES(ranks) (SELO_MLKEM_U * (ranks) + SELO_MLKEM_V)
/* eta1 [FIPS203, table 2] */
#define SELO_MLKEM_ETA1(ranks) ((ranks) == 2 ? 3 : 2)

#endif
