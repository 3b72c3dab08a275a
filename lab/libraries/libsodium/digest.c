/* libsodium's hashes in the lab, and HMAC over them. */
#include <crypto_auth_hmacsha256.h>
#include <crypto_auth_hmacsha512.h>
#include <stdint.h>

#if AGENT_ALGORITHM_SHA_256
#define LAB(name) crypto_hash_sha256_##name
enum { DIGEST_BYTES = 32 };
#elif AGENT_ALGORITHM_SHA_512
#define LAB(name) crypto_hash_sha512_##name
enum { DIGEST_BYTES = 64 };
#elif AGENT_ALGORITHM_HMAC_SHA_256
#define LAB(name) crypto_auth_hmacsha256_##name
#define GLUE_MAC 1
enum { DIGEST_BYTES = 32 };
#else
#define LAB(name) crypto_auth_hmacsha512_##name
#define GLUE_MAC 1
enum { DIGEST_BYTES = 64 };
#endif

static LAB(state) state;

#if GLUE_MAC
static void lib_start(const uint8_t *key, uint16_t key_size) { LAB(init)(&state, key, key_size); }
#else
static void lib_start(void) { LAB(init)(&state); }
#endif

static void lib_update(const uint8_t *data, uint16_t size) { LAB(update)(&state, data, size); }
static void lib_finish(uint8_t *out) { LAB(final)(&state, out); }

#include "glue_digest.h"
