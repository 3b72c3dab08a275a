/* The encryption within ML-KEM, a row of the ciphertext at a time [FIPS203, algorithm 14]. */
#include <string.h>

#include "mlkem.h"

void selo_mlkem_add_product(int16_t sum[256], const uint8_t a[384], const uint8_t b[384])
{
#if SELO_MLKEM_WORDS
    int16_t sixteen[16];

    for (uint8_t quad = 0; quad < 64; quad = (uint8_t)(quad + 4)) {
        selo_mlkem_unpack(sixteen, a, 4);
        selo_mlkem_multiply_quads(sum, sixteen, b, quad | 4u << 8);
        sum += 16;
        a += 24;
        b += 24;
    }
#else
    for (uint8_t quad = 0; quad < 64; quad++) {
        selo_mlkem_multiply_add(sum, a, b, quad);
        sum += 4;
        a += 6;
        b += 6;
    }
#endif
}

void selo_mlkem_add_transformed(int16_t sum[256], union selo_mlkem_polynomial *a,
                                const uint8_t b[384])
{
#if SELO_MLKEM_WORDS
    selo_mlkem_multiply_quads(sum, a->coefficients, b, 64u << 8);
#else
    selo_mlkem_pack(a->bytes, a->coefficients);
    selo_mlkem_add_product(sum, b, a->bytes);
#endif
}

static void add_noise(int16_t sum[256], uint8_t small[256], struct selo_shake *sponge,
                      const uint8_t seed[32], uint8_t nonce)
{
    selo_mlkem_inverse_ntt(sum);
    selo_mlkem_noise(small, sponge, seed, nonce, 2);
    selo_mlkem_add_small(sum, small);
}

void selo_mlkem_finish_u(int16_t sum[256], uint8_t small[256], struct selo_shake *sponge,
                         const uint8_t seed[32], uint8_t nonce)
{
    add_noise(sum, small, sponge, seed, nonce);
    selo_mlkem_compress_u((uint8_t *)sum, sum);
}

void selo_mlkem_finish_v(int16_t sum[256], uint8_t small[256], struct selo_shake *sponge,
                         const uint8_t seed[32], uint8_t nonce, const uint8_t message[32])
{
    int16_t *coefficient = sum;

    add_noise(sum, small, sponge, seed, nonce);
    for (uint8_t i = 0; i < 32; i++) {
        uint8_t byte = message[i];
        for (uint8_t bit = 0; bit < 8; bit++) { /* a bit is 0 or q / 2, rounded up */
            *coefficient = (int16_t)(*coefficient + (byte & 1) * ((SELO_MLKEM_Q + 1) / 2));
            coefficient++;
            byte >>= 1;
        }
    }
    selo_mlkem_compress_v((uint8_t *)sum, sum);
}

void selo_mlkem_noise_vector(uint8_t *packed, struct selo_mlkem_work *work, const uint8_t seed[32],
                             uint8_t ranks)
{
    for (uint8_t rank = 0; rank < ranks; rank++) {
        selo_mlkem_noise(work->other.bytes, &work->sponge, seed, rank, SELO_MLKEM_ETA1(ranks));
        selo_mlkem_expand(work->other.coefficients, work->other.bytes, SELO_MLKEM_ETA1(ranks));
        selo_mlkem_ntt(work->other.coefficients);
        selo_mlkem_pack(packed, work->other.coefficients);
        packed += SELO_MLKEM_PACKED;
    }
}

void selo_mlkem_encrypt_row(struct selo_mlkem_work *work, const uint8_t *y, const uint8_t *key,
                            uint8_t ranks, uint8_t row, const uint8_t seed[32],
                            const uint8_t message[32])
{
    int16_t *sum = work->sum.coefficients;
    const uint8_t nonce = (uint8_t)(ranks + row);

    memset(sum, 0, sizeof work->sum);
    for (uint8_t rank = 0; rank < ranks; rank++) {
        if (row < ranks) {
            selo_mlkem_add_matrix(sum, &work->sponge, key + SELO_MLKEM_PACKED * ranks, row, rank, y);
        } else {
            selo_mlkem_add_product(sum, key, y);
            key += SELO_MLKEM_PACKED;
        }
        y += SELO_MLKEM_PACKED;
    }
    if (row < ranks) {
        selo_mlkem_finish_u(sum, work->other.bytes, &work->sponge, seed, nonce);
    } else {
        selo_mlkem_finish_v(sum, work->other.bytes, &work->sponge, seed, nonce, message);
    }
}

void selo_mlkem_g(uint8_t out[64], struct selo_shake *sponge, const uint8_t a[32], const uint8_t *b,
                  uint8_t b_size)
{
    selo_sha3_512_start(&sponge->sponge);
    selo_sha3_update(&sponge->sponge, a, 32);
    selo_sha3_update(&sponge->sponge, b, b_size);
    selo_sha3_finish(&sponge->sponge, out);
}
