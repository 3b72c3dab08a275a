/*
 * Hashes.
 */
#include "psa_slots.h"

static size_t hash_size_of(psa_algorithm_t alg)
{
    switch (alg) {
    case PSA_ALG_SHA_256:
    case PSA_ALG_SHA3_256:
        return 32;
    case PSA_ALG_SHA_384:
        return 48;
    case PSA_ALG_SHA_512:
    case PSA_ALG_SHA3_512:
        return 64;
    default:
        return 0;
    }
}

psa_status_t psa_hash_compute(psa_algorithm_t alg, const uint8_t *input, size_t input_length,
                              uint8_t *hash, size_t hash_size, size_t *hash_length)
{
    union {
        struct selo_sha256 sha256;
        struct selo_sha384 sha384;
        struct selo_sha512 sha512;
        struct selo_sha3 sha3;
    } of;
    psa_status_t status = psa_slot_ready();
    size_t size = hash_size_of(alg);

    *hash_length = 0;
    if (status != PSA_SUCCESS)
        return status;
    if (size == 0)
        return PSA_ERROR_NOT_SUPPORTED;
    if (hash_size < size)
        return PSA_ERROR_BUFFER_TOO_SMALL;
    if (alg == PSA_ALG_SHA_256) {
        selo_sha256_start(&of.sha256);
        selo_sha256_update(&of.sha256, input, input_length);
        selo_sha256_finish(&of.sha256, hash);
    } else if (alg == PSA_ALG_SHA_384) {
        selo_sha384_start(&of.sha384);
        selo_sha384_update(&of.sha384, input, input_length);
        selo_sha384_finish(&of.sha384, hash);
    } else if (alg == PSA_ALG_SHA_512) {
        selo_sha512_start(&of.sha512);
        selo_sha512_update(&of.sha512, input, input_length);
        selo_sha512_finish(&of.sha512, hash);
    } else {
        if (alg == PSA_ALG_SHA3_256)
            selo_sha3_256_start(&of.sha3);
        else
            selo_sha3_512_start(&of.sha3);
        selo_sha3_update(&of.sha3, input, input_length);
        selo_sha3_finish(&of.sha3, hash);
    }
    *hash_length = size;
    return PSA_SUCCESS;
}
