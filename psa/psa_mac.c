/*
 * HMAC over SHA-256, SHA-512 and SHA3-256, with tags that may be truncated.
 */
#include "psa_slots.h"

#include <string.h>

enum { SHORTEST = 4 }; /* a shorter tag is guessed too soon */

/* Computes the whole tag. Returns its size, or 0 if the hash is not supported. */
static size_t compute(const struct psa_slot *slot, psa_algorithm_t alg, const uint8_t *input, size_t input_length,
                      uint8_t tag[PSA_MAC_MAX_SIZE])
{
    union {
        struct selo_hmac_sha256 sha256;
        struct selo_hmac_sha512 sha512;
        struct selo_hmac_sha3_256 sha3_256;
    } of;
    alg = PSA_ALG_TRUNCATED_MAC(alg, 0);
    if (alg == PSA_ALG_HMAC(PSA_ALG_SHA_256)) {
        selo_hmac_sha256_start(&of.sha256, slot->bytes, slot->size);
        selo_hmac_sha256_update(&of.sha256, input, input_length);
        selo_hmac_sha256_finish(&of.sha256, tag);
        return 32;
    }
    if (alg == PSA_ALG_HMAC(PSA_ALG_SHA_512)) {
        selo_hmac_sha512_start(&of.sha512, slot->bytes, slot->size);
        selo_hmac_sha512_update(&of.sha512, input, input_length);
        selo_hmac_sha512_finish(&of.sha512, tag);
        return 64;
    }
    if (alg == PSA_ALG_HMAC(PSA_ALG_SHA3_256)) {
        selo_hmac_sha3_256_start(&of.sha3_256, slot->bytes, slot->size);
        selo_hmac_sha3_256_update(&of.sha3_256, input, input_length);
        selo_hmac_sha3_256_finish(&of.sha3_256, tag);
        return 32;
    }
    return 0;
}

/* Computes the tag as long as the algorithm says. */
static psa_status_t tag_of(psa_key_id_t key, psa_key_usage_t usage, psa_algorithm_t alg, const uint8_t *input,
                           size_t input_length, uint8_t tag[PSA_MAC_MAX_SIZE], size_t *size)
{
    const struct psa_slot *slot;
    psa_status_t status = psa_slot_find(key, usage, alg, &slot);
    size_t whole;

    if (status != PSA_SUCCESS)
        return status;
    if (slot->type != PSA_KEY_TYPE_HMAC)
        return PSA_ERROR_INVALID_ARGUMENT;
    *size = psa_tag_size(alg);
    whole = compute(slot, alg, input, input_length, tag);
    if (whole == 0)
        return PSA_ERROR_NOT_SUPPORTED;
    if (*size == 0)
        *size = whole;
    return *size < SHORTEST || *size > whole ? PSA_ERROR_INVALID_ARGUMENT : PSA_SUCCESS;
}

psa_status_t psa_mac_compute(psa_key_id_t key, psa_algorithm_t alg, const uint8_t *input, size_t input_length,
                             uint8_t *mac, size_t mac_size, size_t *mac_length)
{
    uint8_t tag[PSA_MAC_MAX_SIZE];
    size_t size;
    psa_status_t status = tag_of(key, PSA_KEY_USAGE_SIGN_MESSAGE, alg, input, input_length, tag, &size);

    *mac_length = 0;
    if (status == PSA_SUCCESS && mac_size < size)
        status = PSA_ERROR_BUFFER_TOO_SMALL;
    if (status == PSA_SUCCESS) {
        memcpy(mac, tag, size);
        *mac_length = size;
    }
    selo_wipe(tag, sizeof tag);
    return status;
}

psa_status_t psa_mac_verify(psa_key_id_t key, psa_algorithm_t alg, const uint8_t *input, size_t input_length,
                            const uint8_t *mac, size_t mac_length)
{
    uint8_t tag[PSA_MAC_MAX_SIZE];
    size_t size;
    psa_status_t status = tag_of(key, PSA_KEY_USAGE_VERIFY_MESSAGE, alg, input, input_length, tag, &size);

    if (status == PSA_SUCCESS && (mac_length != size || !selo_equal(mac, tag, size)))
        status = PSA_ERROR_INVALID_SIGNATURE;
    selo_wipe(tag, sizeof tag);
    return status;
}
