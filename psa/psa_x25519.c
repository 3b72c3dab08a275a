/*
 * X25519 under the names of the API: public keys and raw key agreement.
 */
#include "psa_slots.h"

psa_status_t psa_export_public_key(psa_key_id_t key, uint8_t *data, size_t data_size, size_t *data_length)
{
    const struct psa_slot *slot;
    psa_status_t status = psa_slot_find(key, 0, PSA_ALG_NONE, &slot);

    *data_length = 0;
    if (status != PSA_SUCCESS)
        return status;
    if (slot->type != PSA_X25519)
        return PSA_ERROR_INVALID_ARGUMENT;
    if (data_size < 32)
        return PSA_ERROR_BUFFER_TOO_SMALL;
    selo_x25519_keygen(data, slot->bytes);
    *data_length = 32;
    return PSA_SUCCESS;
}

psa_status_t psa_raw_key_agreement(psa_algorithm_t alg, psa_key_id_t private_key, const uint8_t *peer_key,
                                   size_t peer_key_length, uint8_t *output, size_t output_size,
                                   size_t *output_length)
{
    const struct psa_slot *slot;
    psa_status_t status = psa_slot_find(private_key, PSA_KEY_USAGE_DERIVE, alg, &slot);

    *output_length = 0;
    if (status != PSA_SUCCESS)
        return status;
    if (alg != PSA_ALG_ECDH || slot->type != PSA_X25519 || peer_key_length != 32)
        return PSA_ERROR_INVALID_ARGUMENT;
    if (output_size < 32)
        return PSA_ERROR_BUFFER_TOO_SMALL;
    if (selo_x25519_shared_secret(output, slot->bytes, peer_key) != SELO_OK)
        return PSA_ERROR_INVALID_ARGUMENT;
    *output_length = 32;
    return PSA_SUCCESS;
}
