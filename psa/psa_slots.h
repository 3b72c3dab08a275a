/* The slots of psa_keys.c, for the operations. */
#ifndef SELO_PSA_SLOTS_H
#define SELO_PSA_SLOTS_H

#include <psa/crypto.h>
#include <selo.h>

#define PSA_X25519 PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_MONTGOMERY)

struct psa_slot {
    psa_key_type_t type; /* PSA_KEY_TYPE_NONE: free */
    uint16_t starts;     /* keys that this slot has held, part of the id */
    psa_key_usage_t usage;
    psa_algorithm_t algorithm;
    uint8_t size, bytes[SELO_PSA_KEY_MAX];
};

/* Finds a key that permits a use and an algorithm. Usage 0 and PSA_ALG_NONE are always permitted. */
psa_status_t psa_slot_find(psa_key_id_t key, psa_key_usage_t usage, psa_algorithm_t alg,
                           const struct psa_slot **slot);
/* Returns: PSA_SUCCESS if a key of this type may have this size. */
psa_status_t psa_slot_size(psa_key_type_t type, size_t size);
psa_status_t psa_slot_ready(void);

/* The size of the tag in an algorithm's identifier, bits 16 to 21. */
static inline size_t psa_tag_size(psa_algorithm_t alg) { return (size_t)(alg >> 16) & 0x3f; }

#endif
