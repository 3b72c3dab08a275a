/* Encapsulation to a key in memory [FIPS203, algorithm 17]. */
#include <string.h>

#include "mlkem.h"

enum selo_status selo_mlkem_encapsulate(uint8_t *ciphertext, uint8_t secret[32], const uint8_t *key,
                                        const uint8_t message[32], uint8_t *y, uint8_t ranks)
{
    struct selo_mlkem_work work;
    uint8_t seeds[64]; /* H(key); then the secret and the seed of the noise */

    if (!selo_mlkem_in_range(key, (size_t)SELO_MLKEM_PACKED * ranks)) {
        memset(ciphertext, 0, (size_t)SELO_MLKEM_CIPHERTEXT_BYTES(ranks));
        memset(secret, 0, 32);
        return SELO_ERROR_KEY;
    }
    selo_sha3_256_start(&work.sponge.sponge);
    selo_sha3_update(&work.sponge.sponge, key, (size_t)SELO_MLKEM_PUBLIC_BYTES(ranks));
    selo_sha3_finish(&work.sponge.sponge, seeds);
    selo_mlkem_g(seeds, &work.sponge, message, seeds, 32);
    memcpy(secret, seeds, 32);
    selo_mlkem_noise_vector(y, &work, seeds + 32, ranks);
    for (uint8_t row = 0; row <= ranks; row++) {
        const uint16_t size = row < ranks ? SELO_MLKEM_U : SELO_MLKEM_V;
        selo_mlkem_encrypt_row(&work, y, key, ranks, row, seeds + 32, message);
        memcpy(ciphertext, work.sum.bytes, size);
        ciphertext += size;
    }
    selo_wipe(y, (size_t)SELO_MLKEM_PACKED * ranks);
    selo_wipe(seeds, sizeof seeds);
    selo_wipe(&work, sizeof work);
    return SELO_OK;
}
