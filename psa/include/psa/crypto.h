/*
 * A subset of the PSA Crypto API [PSA-CRYPTO] on top of selo.h. A program that uses only this subset
 * compiles without edits. docs/firmware/psa.md lists what is there and what is not.
 *
 * Keys are volatile and stand in SELO_PSA_SLOTS static slots, wiped by psa_destroy_key. There is no
 * heap. The functions are not reentrant: two threads must not call them at the same time.
 * An output may equal its input, and must not overlap it in any other way.
 */
#ifndef PSA_CRYPTO_H
#define PSA_CRYPTO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of keys at the same time, at most 255, and the longest key in bytes. */
#ifndef SELO_PSA_SLOTS
#define SELO_PSA_SLOTS 8
#endif
#ifndef SELO_PSA_KEY_MAX
#define SELO_PSA_KEY_MAX 64
#endif

/* ---- Results [PSA-CRYPTO] ---- */

typedef int32_t psa_status_t;
#define PSA_SUCCESS ((psa_status_t)0)
#define PSA_ERROR_GENERIC_ERROR ((psa_status_t)-132)
#define PSA_ERROR_NOT_PERMITTED ((psa_status_t)-133)
#define PSA_ERROR_NOT_SUPPORTED ((psa_status_t)-134)
#define PSA_ERROR_INVALID_ARGUMENT ((psa_status_t)-135)
#define PSA_ERROR_INVALID_HANDLE ((psa_status_t)-136)
#define PSA_ERROR_BAD_STATE ((psa_status_t)-137)
#define PSA_ERROR_BUFFER_TOO_SMALL ((psa_status_t)-138)
#define PSA_ERROR_INSUFFICIENT_MEMORY ((psa_status_t)-141)
#define PSA_ERROR_INSUFFICIENT_ENTROPY ((psa_status_t)-148)
#define PSA_ERROR_INVALID_SIGNATURE ((psa_status_t)-149)

/* ---- Keys [PSA-CRYPTO] ---- */

typedef uint16_t psa_key_type_t;
typedef uint32_t psa_key_id_t, psa_key_lifetime_t, psa_key_usage_t, psa_algorithm_t;
typedef uint8_t psa_ecc_family_t;

#define PSA_KEY_ID_NULL ((psa_key_id_t)0)
#define PSA_KEY_LIFETIME_VOLATILE ((psa_key_lifetime_t)0)

#define PSA_KEY_TYPE_NONE ((psa_key_type_t)0)
#define PSA_KEY_TYPE_HMAC ((psa_key_type_t)0x1100)
#define PSA_KEY_TYPE_AES ((psa_key_type_t)0x2400)
#define PSA_KEY_TYPE_CHACHA20 ((psa_key_type_t)0x2004)
#define PSA_KEY_TYPE_XCHACHA20 ((psa_key_type_t)0x2007)
#define PSA_KEY_TYPE_ASCON ((psa_key_type_t)0x2008)
#define PSA_KEY_TYPE_ECC_KEY_PAIR(family) ((psa_key_type_t)(0x7100 | (family)))
#define PSA_ECC_FAMILY_MONTGOMERY ((psa_ecc_family_t)0x41)

#define PSA_KEY_USAGE_ENCRYPT ((psa_key_usage_t)0x0100)
#define PSA_KEY_USAGE_DECRYPT ((psa_key_usage_t)0x0200)
#define PSA_KEY_USAGE_SIGN_MESSAGE ((psa_key_usage_t)0x0400)
#define PSA_KEY_USAGE_VERIFY_MESSAGE ((psa_key_usage_t)0x0800)
#define PSA_KEY_USAGE_DERIVE ((psa_key_usage_t)0x4000)

typedef struct {
    psa_key_type_t type;
    uint16_t bits;
    psa_key_lifetime_t lifetime;
    psa_key_usage_t usage;
    psa_algorithm_t algorithm;
} psa_key_attributes_t;

#define PSA_KEY_ATTRIBUTES_INIT {0, 0, 0, 0, 0}
static inline psa_key_attributes_t psa_key_attributes_init(void)
{
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    return attributes;
}
static inline void psa_set_key_type(psa_key_attributes_t *attributes, psa_key_type_t type) { attributes->type = type; }
static inline void psa_set_key_bits(psa_key_attributes_t *attributes, size_t bits) { attributes->bits = (uint16_t)bits; }
static inline void psa_set_key_usage_flags(psa_key_attributes_t *attributes, psa_key_usage_t usage) { attributes->usage = usage; }
static inline void psa_set_key_algorithm(psa_key_attributes_t *attributes, psa_algorithm_t algorithm) { attributes->algorithm = algorithm; }
static inline void psa_set_key_lifetime(psa_key_attributes_t *attributes, psa_key_lifetime_t lifetime) { attributes->lifetime = lifetime; }
static inline void psa_reset_key_attributes(psa_key_attributes_t *attributes) { *attributes = psa_key_attributes_init(); }

psa_status_t psa_crypto_init(void);
psa_status_t psa_import_key(const psa_key_attributes_t *attributes, const uint8_t *data, size_t data_length,
                            psa_key_id_t *key);
psa_status_t psa_destroy_key(psa_key_id_t key);

/* Random bytes come from this function, which the program provides if it calls psa_generate_random or
 * psa_generate_key. Returns: PSA_SUCCESS, or PSA_ERROR_INSUFFICIENT_ENTROPY. */
psa_status_t selo_psa_random(uint8_t *output, size_t output_size);
psa_status_t psa_generate_random(uint8_t *output, size_t output_size);
psa_status_t psa_generate_key(const psa_key_attributes_t *attributes, psa_key_id_t *key);

/* ---- Hashes [PSA-CRYPTO] ---- */

#define PSA_ALG_NONE ((psa_algorithm_t)0)
#define PSA_ALG_SHA_256 ((psa_algorithm_t)0x02000009)
#define PSA_ALG_SHA_384 ((psa_algorithm_t)0x0200000a)
#define PSA_ALG_SHA_512 ((psa_algorithm_t)0x0200000b)
#define PSA_ALG_SHA3_256 ((psa_algorithm_t)0x02000011)
#define PSA_ALG_SHA3_512 ((psa_algorithm_t)0x02000013)
#define PSA_HASH_MAX_SIZE 64

psa_status_t psa_hash_compute(psa_algorithm_t alg, const uint8_t *input, size_t input_length,
                              uint8_t *hash, size_t hash_size, size_t *hash_length);

/* ---- MACs [PSA-CRYPTO] ---- */

#define PSA_ALG_HMAC(hash) ((psa_algorithm_t)(0x03800000 | ((hash) & 0xff)))
#define PSA_ALG_TRUNCATED_MAC(alg, size) ((psa_algorithm_t)(((alg) & ~(psa_algorithm_t)0x003f8000) | (((psa_algorithm_t)(size) & 0x3f) << 16)))
#define PSA_MAC_MAX_SIZE 64

psa_status_t psa_mac_compute(psa_key_id_t key, psa_algorithm_t alg, const uint8_t *input, size_t input_length,
                             uint8_t *mac, size_t mac_size, size_t *mac_length);
psa_status_t psa_mac_verify(psa_key_id_t key, psa_algorithm_t alg, const uint8_t *input, size_t input_length,
                            const uint8_t *mac, size_t mac_length);

/* ---- Authenticated encryption [PSA-CRYPTO]: the tag follows the ciphertext ---- */

#define PSA_ALG_CCM ((psa_algorithm_t)0x05500100)
#define PSA_ALG_GCM ((psa_algorithm_t)0x05500200)
#define PSA_ALG_CHACHA20_POLY1305 ((psa_algorithm_t)0x05100500)
#define PSA_ALG_XCHACHA20_POLY1305 ((psa_algorithm_t)0x05100600)
#define PSA_ALG_ASCON_AEAD128 ((psa_algorithm_t)0x05100700)
#define PSA_ALG_AEAD_WITH_SHORTENED_TAG(alg, size) PSA_ALG_TRUNCATED_MAC(alg, size)
#define PSA_AEAD_TAG_MAX_SIZE 16
#define PSA_AEAD_ENCRYPT_OUTPUT_MAX_SIZE(size) ((size) + PSA_AEAD_TAG_MAX_SIZE)

psa_status_t psa_aead_encrypt(psa_key_id_t key, psa_algorithm_t alg, const uint8_t *nonce, size_t nonce_length,
                              const uint8_t *additional_data, size_t additional_data_length,
                              const uint8_t *plaintext, size_t plaintext_length,
                              uint8_t *ciphertext, size_t ciphertext_size, size_t *ciphertext_length);
psa_status_t psa_aead_decrypt(psa_key_id_t key, psa_algorithm_t alg, const uint8_t *nonce, size_t nonce_length,
                              const uint8_t *additional_data, size_t additional_data_length,
                              const uint8_t *ciphertext, size_t ciphertext_length,
                              uint8_t *plaintext, size_t plaintext_size, size_t *plaintext_length);

/* ---- X25519 [PSA-CRYPTO] ---- */

#define PSA_ALG_ECDH ((psa_algorithm_t)0x09020000)

psa_status_t psa_export_public_key(psa_key_id_t key, uint8_t *data, size_t data_size, size_t *data_length);
/* The shared secret is not uniform: hash it before you use it as a key. */
psa_status_t psa_raw_key_agreement(psa_algorithm_t alg, psa_key_id_t private_key, const uint8_t *peer_key,
                                   size_t peer_key_length, uint8_t *output, size_t output_size,
                                   size_t *output_length);

#ifdef __cplusplus
}
#endif

#endif
