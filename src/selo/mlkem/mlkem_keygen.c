/* Key generation of ML-KEM [FIPS203, algorithms 13 and 16]. */
#include <string.h>

#include "mlkem.h"

/* Row `row` of t to public_key: s is in the private key, transformed and packed. */
static void make_row(uint8_t *packed, struct selo_mlkem_work *work, const uint8_t *s,
                     const uint8_t rho[32], const uint8_t sigma[32], uint8_t ranks, uint8_t row)
{
    int16_t *sum = work->sum.coefficients;

    memset(sum, 0, sizeof work->sum);
    for (uint8_t rank = 0; rank < ranks; rank++) {
        selo_mlkem_add_matrix(sum, &work->sponge, rho, rank, row, s);
        s += SELO_MLKEM_PACKED;
    }
    selo_mlkem_noise(work->other.bytes, &work->sponge, sigma, (uint8_t)(ranks + row),
                     SELO_MLKEM_ETA1(ranks));
    selo_mlkem_expand(work->other.coefficients, work->other.bytes, SELO_MLKEM_ETA1(ranks));
    selo_mlkem_ntt(work->other.coefficients);
    for (uint16_t i = 0; i < 256; i++) {
        sum[i] = (int16_t)(selo_mlkem_to_montgomery(sum[i]) + work->other.coefficients[i]);
    }
    selo_mlkem_pack(packed, sum);
}

void selo_mlkem_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t seed[64],
                       uint8_t ranks)
{
    const uint16_t public_bytes = (uint16_t)SELO_MLKEM_PUBLIC_BYTES(ranks);
    uint8_t *s = private_key, *rho = public_key + SELO_MLKEM_PACKED * ranks;
    struct selo_mlkem_work work;
    uint8_t seeds[64]; /* rho and sigma */

    selo_mlkem_g(seeds, &work.sponge, seed, &ranks, 1);
    memcpy(rho, seeds, 32);
    selo_mlkem_noise_vector(s, &work, seeds + 32, ranks);
    for (uint8_t row = 0; row < ranks; row++) {
        make_row(public_key + SELO_MLKEM_PACKED * row, &work, s, rho, seeds + 32, ranks, row);
    }
    private_key += SELO_MLKEM_PACKED * ranks;
    memcpy(private_key, public_key, public_bytes);
    private_key += public_bytes;
    selo_sha3_256_start(&work.sponge.sponge);
    selo_sha3_update(&work.sponge.sponge, public_key, public_bytes);
    selo_sha3_finish(&work.sponge.sponge, private_key);
    memcpy(private_key + 32, seed + 32, 32);
    selo_wipe(seeds, sizeof seeds);
    selo_wipe(&work, sizeof work);
}
