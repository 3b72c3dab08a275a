/*
 * The suite that SELO_LINK_SUITE selects [docs/protocol.md, suites]: a hash, HKDF over it, and
 * authenticated encryption, each with one name. Only these files know the algorithms.
 */
#ifndef SELO_NOISE_SUITE_H
#define SELO_NOISE_SUITE_H

#include "../../selo.h"

#if SELO_LINK_SUITE == SELO_LINK_AESGCM_SHA3_256
#define SELO_SUITE_NAME "Noise_NNpsk0_25519_AESGCM_SHA3/256"
#define SELO_SUITE_BLOCK 136 /* bytes of the HMAC block */
struct selo_suite_hash { struct selo_sha3 hash; };
#define SELO_SUITE_START selo_sha3_256_start
#define SELO_SUITE_UPDATE selo_sha3_update
#define SELO_SUITE_FINISH selo_sha3_finish
#elif SELO_LINK_SUITE == SELO_LINK_CHACHAPOLY_BLAKE2S
#define SELO_SUITE_NAME "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s"
#define SELO_SUITE_BLOCK 64
struct selo_suite_hash { struct selo_blake2s hash; };
#define SELO_SUITE_START selo_blake2s_start
#define SELO_SUITE_UPDATE selo_blake2s_update
#define SELO_SUITE_FINISH selo_blake2s_finish
#elif SELO_LINK_SUITE == SELO_LINK_AESGCM_SHA256
#define SELO_SUITE_NAME "Noise_NNpsk0_25519_AESGCM_SHA256"
#define SELO_SUITE_BLOCK 64
struct selo_suite_hash { struct selo_sha256 hash; };
#define SELO_SUITE_START selo_sha256_start
#define SELO_SUITE_UPDATE selo_sha256_update
#define SELO_SUITE_FINISH selo_sha256_finish
#elif SELO_LINK_SUITE == SELO_LINK_ASCON
#define SELO_SUITE_NAME "Noise_NNpsk0_25519_AsconAEAD128_AsconHash256"
#define SELO_SUITE_BLOCK 32
struct selo_suite_hash { struct selo_ascon_hash256 hash; };
#define SELO_SUITE_START selo_ascon_hash256_start
#define SELO_SUITE_UPDATE selo_ascon_hash256_update
#define SELO_SUITE_FINISH selo_ascon_hash256_finish
#else
#error "SELO_LINK_SUITE must be one of the SELO_LINK_* suites of selo.h"
#endif

/* HASH in pieces. finish wipes the state. digest may overwrite data already hashed. */
static inline void selo_suite_start(struct selo_suite_hash *hash)
{
    SELO_SUITE_START(&hash->hash);
}
static inline void selo_suite_update(struct selo_suite_hash *hash, const void *data, uint8_t size)
{
    SELO_SUITE_UPDATE(&hash->hash, data, size);
}
static inline void selo_suite_finish(struct selo_suite_hash *hash, uint8_t digest[32])
{
    SELO_SUITE_FINISH(&hash->hash, digest);
}

/* Adds "Selo link 1", "Selo pair 1" or "Selo seed 1" to a hash. */
enum selo_suite_label { SELO_LABEL_LINK = 0, SELO_LABEL_PAIR = 11, SELO_LABEL_SEED = 22 };
void selo_suite_update_label(struct selo_suite_hash *hash, enum selo_suite_label label);

/* digest = HASH(first || second). digest may be first or second. */
void selo_suite_digest(uint8_t digest[32], const uint8_t first[32], const void *second,
                       uint8_t size);

/* HKDF(ck, ikm, n) [NOISE, 4.3]. The first output replaces ck. second and third have 32 bytes, or
 * are null if not needed. Any of them may be ikm. */
void selo_suite_hkdf(uint8_t ck[32], const void *ikm, uint8_t ikm_size, uint8_t *second,
                     uint8_t *third);

/* SEAL(key, n, ad, data), in place. Writes the first tag_size bytes of the tag, 8 or 16, after the
 * data. Use each number n once under one key. With SELO_SUITE_OPENING added to tag_size it opens
 * instead: if the tag after the data does not verify, it returns SELO_ERROR_TAG and zeroes the
 * data. One function does both, because building the header is the larger part of its code. */
enum { SELO_SUITE_OPENING = 0x80 };
enum selo_status selo_suite_run(const uint8_t key[32], uint32_t n, const void *ad, uint8_t ad_size,
                                uint8_t *data, uint8_t size, uint8_t tag_size);

static inline void selo_suite_seal(const uint8_t key[32], uint32_t n, const void *ad,
                                   uint8_t ad_size, uint8_t *data, uint8_t size, uint8_t tag_size)
{
    (void)selo_suite_run(key, n, ad, ad_size, data, size, tag_size);
}

static inline enum selo_status selo_suite_open(const uint8_t key[32], uint32_t n, const void *ad,
                                               uint8_t ad_size, uint8_t *data, uint8_t size,
                                               uint8_t tag_size)
{
    return selo_suite_run(key, n, ad, ad_size, data, size,
                          (uint8_t)(tag_size | SELO_SUITE_OPENING));
}

#endif
