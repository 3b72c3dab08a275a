/*
 * Keys in static slots.
 */
#include "psa_slots.h"

#include <string.h>

/* Marks an algorithm that is a policy, not an operation: any tag of at least a length. */
#define WILDCARD ((psa_algorithm_t)0x8000)

static struct psa_slot slots[SELO_PSA_SLOTS];
static uint8_t ready;

psa_status_t psa_crypto_init(void)
{
    ready = 1;
    return PSA_SUCCESS;
}

psa_status_t psa_slot_ready(void) { return ready ? PSA_SUCCESS : PSA_ERROR_BAD_STATE; }

/* An id is in the range that the API leaves to the implementation, and is not used again before a
 * slot has held 65,536 keys. So a destroyed key is not mistaken for its successor. */
static psa_key_id_t id_of(const struct psa_slot *slot)
{
    return 0x40000000 | (psa_key_id_t)slot->starts << 8 | (psa_key_id_t)(slot - slots);
}

static struct psa_slot *find(psa_key_id_t key)
{
    size_t index = key & 0xff;
    if (index >= SELO_PSA_SLOTS || slots[index].type == PSA_KEY_TYPE_NONE || id_of(&slots[index]) != key)
        return NULL;
    return &slots[index];
}

psa_status_t psa_slot_find(psa_key_id_t key, psa_key_usage_t usage, psa_algorithm_t alg,
                           const struct psa_slot **slot)
{
    if (!ready)
        return PSA_ERROR_BAD_STATE;
    if (alg & WILDCARD)
        return PSA_ERROR_INVALID_ARGUMENT;
    *slot = find(key);
    if (!*slot)
        return PSA_ERROR_INVALID_HANDLE;
    if (((*slot)->usage & usage) != usage || (alg != PSA_ALG_NONE && (*slot)->algorithm != alg))
        return PSA_ERROR_NOT_PERMITTED;
    return PSA_SUCCESS;
}

psa_status_t psa_slot_size(psa_key_type_t type, size_t size)
{
    uint8_t fits;
    if (type == PSA_KEY_TYPE_HMAC) {
        if (size > SELO_PSA_KEY_MAX)
            return PSA_ERROR_NOT_SUPPORTED;
        fits = size > 0;
    } else if (type == PSA_KEY_TYPE_AES) {
        fits = size == 16 || size == 24 || size == 32;
    } else if (type == PSA_KEY_TYPE_CHACHA20 || type == PSA_KEY_TYPE_XCHACHA20 || type == PSA_X25519) {
        fits = size == 32;
    } else if (type == PSA_KEY_TYPE_ASCON) {
        fits = size == 16;
    } else {
        return PSA_ERROR_NOT_SUPPORTED;
    }
    return fits ? PSA_SUCCESS : PSA_ERROR_INVALID_ARGUMENT;
}

/* The number of bits in the attributes: that of the bytes, or 255 for X25519; 0: unspecified. */
static uint8_t bits_agree(const psa_key_attributes_t *attributes, size_t size)
{
    return attributes->bits == 0 || attributes->bits == (attributes->type == PSA_X25519 ? 255 : 8 * size);
}

psa_status_t psa_import_key(const psa_key_attributes_t *attributes, const uint8_t *data, size_t data_length,
                            psa_key_id_t *key)
{
    psa_status_t status = psa_slot_size(attributes->type, data_length);
    *key = PSA_KEY_ID_NULL;
    if (!ready)
        return PSA_ERROR_BAD_STATE;
    if (attributes->lifetime != PSA_KEY_LIFETIME_VOLATILE)
        return PSA_ERROR_NOT_SUPPORTED;
    if (status != PSA_SUCCESS)
        return status;
    if (!bits_agree(attributes, data_length))
        return PSA_ERROR_INVALID_ARGUMENT;
    for (struct psa_slot *slot = slots; slot < slots + SELO_PSA_SLOTS; slot++) {
        if (slot->type != PSA_KEY_TYPE_NONE)
            continue;
        slot->type = attributes->type;
        slot->usage = attributes->usage;
        slot->algorithm = attributes->algorithm;
        slot->size = (uint8_t)data_length;
        memcpy(slot->bytes, data, data_length);
        slot->starts++;
        *key = id_of(slot);
        return PSA_SUCCESS;
    }
    return PSA_ERROR_INSUFFICIENT_MEMORY;
}

psa_status_t psa_destroy_key(psa_key_id_t key)
{
    struct psa_slot *slot = find(key);
    if (key == PSA_KEY_ID_NULL)
        return PSA_SUCCESS;
    if (!ready)
        return PSA_ERROR_BAD_STATE;
    if (!slot)
        return PSA_ERROR_INVALID_HANDLE;
    selo_wipe(slot->bytes, sizeof slot->bytes);
    slot->type = PSA_KEY_TYPE_NONE;
    return PSA_SUCCESS;
}
