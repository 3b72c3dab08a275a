/* Monocypher's SHA-512 in the lab, and HMAC over it. */
#include <monocypher-ed25519.h>

enum { DIGEST_BYTES = 64 };

#if AGENT_ALGORITHM_SHA_512

static crypto_sha512_ctx state;

static void lib_start(void) { crypto_sha512_init(&state); }
static void lib_update(const uint8_t *data, uint16_t size)
{
    crypto_sha512_update(&state, data, size);
}
static void lib_finish(uint8_t *out) { crypto_sha512_final(&state, out); }

#else

#define GLUE_MAC 1
static crypto_sha512_hmac_ctx state;

static void lib_start(const uint8_t *key, uint16_t key_size)
{
    crypto_sha512_hmac_init(&state, key, key_size);
}
static void lib_update(const uint8_t *data, uint16_t size)
{
    crypto_sha512_hmac_update(&state, data, size);
}
static void lib_finish(uint8_t *out) { crypto_sha512_hmac_final(&state, out); }

#endif

#include "glue_digest.h"
