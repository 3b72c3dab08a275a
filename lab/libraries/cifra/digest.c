/* Cifra's SHA-2 and SHA-3 in the lab. */
#include <sha2.h>
#include <sha3.h>

#if AGENT_ALGORITHM_SHA_256
#define HASH(name) cf_sha256_##name
#define CONTEXT cf_sha256_context
enum { DIGEST_BYTES = CF_SHA256_HASHSZ };
#elif AGENT_ALGORITHM_SHA_512
#define HASH(name) cf_sha512_##name
#define CONTEXT cf_sha512_context
enum { DIGEST_BYTES = CF_SHA512_HASHSZ };
#else
#define HASH(name) cf_sha3_256_##name
#define CONTEXT cf_sha3_context
enum { DIGEST_BYTES = CF_SHA3_256_HASHSZ };
#endif

static CONTEXT state;

static void lib_start(void) { HASH(init)(&state); }
static void lib_update(const uint8_t *data, uint16_t size) { HASH(update)(&state, data, size); }
static void lib_finish(uint8_t *out) { HASH(digest_final)(&state, out); }

#include "glue_digest.h"
