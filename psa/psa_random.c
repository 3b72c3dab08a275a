/*
 * Random bytes and keys, from the program's selo_psa_random.
 */
#include "psa_slots.h"

psa_status_t psa_generate_random(uint8_t *output, size_t output_size)
{
    psa_status_t status = psa_slot_ready();
    if (status == PSA_SUCCESS && output_size != 0)
        status = selo_psa_random(output, output_size);
    if (status != PSA_SUCCESS)
        selo_wipe(output, output_size);
    return status;
}

psa_status_t psa_generate_key(const psa_key_attributes_t *attributes, psa_key_id_t *key)
{
    uint8_t bytes[SELO_PSA_KEY_MAX];
    size_t size = (attributes->bits + 7u) / 8;
    *key = PSA_KEY_ID_NULL;
    if (size == 0 || size > sizeof bytes)
        return size == 0 ? PSA_ERROR_INVALID_ARGUMENT : PSA_ERROR_NOT_SUPPORTED;
    psa_status_t status = psa_generate_random(bytes, size);
    if (status == PSA_SUCCESS)
        status = psa_import_key(attributes, bytes, size, key);
    selo_wipe(bytes, sizeof bytes);
    return status;
}
