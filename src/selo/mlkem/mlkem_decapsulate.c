/* Decapsulation [FIPS203, algorithms 15 and 18], and the check of a private key [FIPS203, 7.3]. */
#include <string.h>

#include "mlkem.h"

static void hash_key(uint8_t hash[32], struct selo_sha3 *sponge, const uint8_t *key, uint8_t ranks)
{
    selo_sha3_256_start(sponge);
    selo_sha3_update(sponge, key, (size_t)SELO_MLKEM_PUBLIC_BYTES(ranks));
    selo_sha3_finish(sponge, hash);
}

static void decrypt(uint8_t message[32], struct selo_mlkem_work *work, const uint8_t *s,
                    const uint8_t *ciphertext, uint8_t ranks)
{
    memset(&work->sum, 0, sizeof work->sum);
    for (uint8_t rank = 0; rank < ranks; rank++) {
        selo_mlkem_decompress_u(work->other.coefficients, ciphertext);
        selo_mlkem_ntt(work->other.coefficients);
        selo_mlkem_add_transformed(work->sum.coefficients, &work->other, s);
        ciphertext += SELO_MLKEM_U;
        s += SELO_MLKEM_PACKED;
    }
    selo_mlkem_inverse_ntt(work->sum.coefficients);
    selo_mlkem_message(message, work->sum.coefficients, ciphertext);
}

/* Encrypts the message again. Returns 1 if that gives the same ciphertext, else 0. */
static uint8_t encrypts_to(const uint8_t *ciphertext, struct selo_mlkem_work *work, uint8_t *y,
                           const uint8_t *key, const uint8_t seed[32], const uint8_t message[32],
                           uint8_t ranks)
{
    uint8_t same = 1;

    selo_mlkem_noise_vector(y, work, seed, ranks);
    for (uint8_t row = 0; row <= ranks; row++) {
        const uint16_t size = row < ranks ? SELO_MLKEM_U : SELO_MLKEM_V;
        selo_mlkem_encrypt_row(work, y, key, ranks, row, seed, message);
        same = (uint8_t)(same & selo_equal(work->sum.bytes, ciphertext, size));
        ciphertext += size;
    }
    return same;
}

/* After the keys s and ek, the private key has H(ek) and z. */
void selo_mlkem_decapsulate(uint8_t secret[32], const uint8_t *key, const uint8_t *ciphertext,
                            uint8_t *y, uint8_t ranks)
{
    const uint8_t *public_key = key + SELO_MLKEM_PACKED * ranks;
    const uint8_t *hash = public_key + SELO_MLKEM_PUBLIC_BYTES(ranks), *z = hash + 32;
    struct selo_mlkem_work work;
    uint8_t message[32], seeds[64], rejection[32], same;

    selo_shake256_start(&work.sponge); /* J */
    selo_shake_update(&work.sponge, z, 32);
    selo_shake_update(&work.sponge, ciphertext, (size_t)SELO_MLKEM_CIPHERTEXT_BYTES(ranks));
    selo_shake_read(&work.sponge, rejection, sizeof rejection);
    decrypt(message, &work, key, ciphertext, ranks);
    selo_mlkem_g(seeds, &work.sponge, message, hash, 32);
    same = encrypts_to(ciphertext, &work, y, public_key, seeds + 32, message, ranks);
    for (uint8_t i = 0; i < 32; i++) {
        secret[i] = (uint8_t)(rejection[i] ^ ((seeds[i] ^ rejection[i]) & (0u - same)));
    }
    selo_wipe(y, (size_t)SELO_MLKEM_PACKED * ranks);
    selo_wipe(message, sizeof message);
    selo_wipe(seeds, sizeof seeds);
    selo_wipe(rejection, sizeof rejection);
    selo_wipe(&work, sizeof work);
}

enum selo_status selo_mlkem_check_private_key(const uint8_t *key, uint8_t ranks)
{
    const uint8_t *public_key = key + SELO_MLKEM_PACKED * ranks;
    struct selo_sha3 sponge;
    uint8_t hash[32];

    hash_key(hash, &sponge, public_key, ranks);
    return selo_equal(hash, public_key + SELO_MLKEM_PUBLIC_BYTES(ranks), 32) ? SELO_OK
                                                                            : SELO_ERROR_KEY;
}
