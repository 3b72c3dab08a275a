/* BearSSL's hashes in the lab, and HMAC over them. */
#include <bearssl_hash.h>
#include <bearssl_hmac.h>

#if AGENT_ALGORITHM_SHA_256 || AGENT_ALGORITHM_HMAC_SHA_256
enum { DIGEST_BYTES = 32 };
#define LAB_HASH(name) br_sha256_##name
#else
enum { DIGEST_BYTES = 64 };
#define LAB_HASH(name) br_sha512_##name
#endif

#if AGENT_ALGORITHM_SHA_256 || AGENT_ALGORITHM_SHA_512

static LAB_HASH(context) state;

static void lib_start(void) { LAB_HASH(init)(&state); }
static void lib_update(const uint8_t *data, uint16_t size) { LAB_HASH(update)(&state, data, size); }
static void lib_finish(uint8_t *out) { LAB_HASH(out)(&state, out); }

#else

#define GLUE_MAC 1
static br_hmac_key_context prepared;
static br_hmac_context state;

static void lib_start(const uint8_t *key, uint16_t key_size)
{
    br_hmac_key_init(&prepared, &LAB_HASH(vtable), key, key_size);
    br_hmac_init(&state, &prepared, 0);
}
static void lib_update(const uint8_t *data, uint16_t size) { br_hmac_update(&state, data, size); }
static void lib_finish(uint8_t *out) { br_hmac_out(&state, out); }

#endif

#include "glue_digest.h"
