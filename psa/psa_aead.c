/*
 * Authenticated encryption of a whole message. The key schedule is made at each call.
 */
#include "psa_slots.h"

/* The functions of an algorithm under a key. XChaCha20-Poly1305 is in no table of selo.h. */
struct keyed {
    struct selo_aead_key key;
    struct selo_xchacha20_poly1305_key xchacha;
    uint8_t is_xchacha;
};

/* Returns the algorithm for a key, or NULL. `alg` has the default length of the tag. */
static const struct selo_aead *aead_of(const struct psa_slot *slot, psa_algorithm_t alg)
{
    if (alg == PSA_ALG_CHACHA20_POLY1305 && slot->type == PSA_KEY_TYPE_CHACHA20)
        return &selo_aead_chacha20_poly1305;
    if (alg == PSA_ALG_ASCON_AEAD128 && slot->type == PSA_KEY_TYPE_ASCON)
        return &selo_aead_ascon_aead128;
    if (slot->type != PSA_KEY_TYPE_AES)
        return NULL;
    if (alg == PSA_ALG_GCM)
        return slot->size == 16 ? &selo_aead_aes128_gcm
               : slot->size == 24 ? &selo_aead_aes192_gcm : &selo_aead_aes256_gcm;
    if (alg == PSA_ALG_CCM)
        return slot->size == 16 ? &selo_aead_aes128_ccm
               : slot->size == 24 ? &selo_aead_aes192_ccm : &selo_aead_aes256_ccm;
    return NULL;
}

static psa_status_t prepare(struct keyed *keyed, psa_key_id_t key, psa_key_usage_t usage, psa_algorithm_t alg)
{
    const struct psa_slot *slot;
    psa_status_t status = psa_slot_find(key, usage, alg, &slot);
    const struct selo_aead *aead;

    if (status != PSA_SUCCESS)
        return status;
    alg = PSA_ALG_AEAD_WITH_SHORTENED_TAG(alg, 16);
    keyed->is_xchacha = alg == PSA_ALG_XCHACHA20_POLY1305 && slot->type == PSA_KEY_TYPE_XCHACHA20;
    if (keyed->is_xchacha) {
        selo_xchacha20_poly1305_setup(&keyed->xchacha, slot->bytes);
        return PSA_SUCCESS;
    }
    aead = aead_of(slot, alg);
    if (!aead)
        return PSA_ERROR_INVALID_ARGUMENT;
    return selo_aead_setup(&keyed->key, aead, slot->bytes, slot->size) == SELO_OK ? PSA_SUCCESS
                                                                                  : PSA_ERROR_GENERIC_ERROR;
}

static psa_status_t status_of(enum selo_status status)
{
    return status == SELO_OK ? PSA_SUCCESS
           : status == SELO_ERROR_TAG ? PSA_ERROR_INVALID_SIGNATURE : PSA_ERROR_INVALID_ARGUMENT;
}

psa_status_t psa_aead_encrypt(psa_key_id_t key, psa_algorithm_t alg, const uint8_t *nonce, size_t nonce_length,
                              const uint8_t *additional_data, size_t additional_data_length,
                              const uint8_t *plaintext, size_t plaintext_length,
                              uint8_t *ciphertext, size_t ciphertext_size, size_t *ciphertext_length)
{
    const struct selo_header header = {nonce, nonce_length, additional_data, additional_data_length,
                                       psa_tag_size(alg)};
    struct keyed keyed;
    psa_status_t status = prepare(&keyed, key, PSA_KEY_USAGE_ENCRYPT, alg);

    *ciphertext_length = 0;
    if (status == PSA_SUCCESS
        && (ciphertext_size < header.tag_size || ciphertext_size - header.tag_size < plaintext_length))
        status = PSA_ERROR_BUFFER_TOO_SMALL;
    if (status == PSA_SUCCESS) {
        uint8_t *tag = ciphertext + plaintext_length;
        status = status_of(keyed.is_xchacha
            ? selo_xchacha20_poly1305_seal(&keyed.xchacha, &header, ciphertext, plaintext, plaintext_length, tag)
            : selo_aead_seal(&keyed.key, &header, ciphertext, plaintext, plaintext_length, tag));
        if (status == PSA_SUCCESS)
            *ciphertext_length = plaintext_length + header.tag_size;
    }
    selo_wipe(&keyed, sizeof keyed);
    return status;
}

psa_status_t psa_aead_decrypt(psa_key_id_t key, psa_algorithm_t alg, const uint8_t *nonce, size_t nonce_length,
                              const uint8_t *additional_data, size_t additional_data_length,
                              const uint8_t *ciphertext, size_t ciphertext_length,
                              uint8_t *plaintext, size_t plaintext_size, size_t *plaintext_length)
{
    const struct selo_header header = {nonce, nonce_length, additional_data, additional_data_length,
                                       psa_tag_size(alg)};
    struct keyed keyed;
    psa_status_t status = prepare(&keyed, key, PSA_KEY_USAGE_DECRYPT, alg);

    *plaintext_length = 0;
    if (status == PSA_SUCCESS && ciphertext_length < header.tag_size)
        status = PSA_ERROR_INVALID_ARGUMENT;
    if (status == PSA_SUCCESS && plaintext_size < ciphertext_length - header.tag_size)
        status = PSA_ERROR_BUFFER_TOO_SMALL;
    if (status == PSA_SUCCESS) {
        const size_t size = ciphertext_length - header.tag_size;
        const uint8_t *tag = ciphertext + size;
        status = status_of(keyed.is_xchacha
            ? selo_xchacha20_poly1305_open(&keyed.xchacha, &header, plaintext, ciphertext, size, tag)
            : selo_aead_open(&keyed.key, &header, plaintext, ciphertext, size, tag));
        if (status == PSA_SUCCESS)
            *plaintext_length = size;
    }
    selo_wipe(&keyed, sizeof keyed);
    return status;
}
