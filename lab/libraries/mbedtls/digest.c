/* Mbed TLS's hashes in the lab, and HMAC over them. */
#include <mbedtls/md.h>
#include <mbedtls/sha256.h>
#include <mbedtls/sha512.h>
#include <stdint.h>

#if AGENT_ALGORITHM_SHA_256

enum { DIGEST_BYTES = 32 };
static mbedtls_sha256_context state;

static void lib_start(void)
{
    mbedtls_sha256_init(&state);
    mbedtls_sha256_starts_ret(&state, 0);
}

static void lib_update(const uint8_t *data, uint16_t size)
{
    mbedtls_sha256_update_ret(&state, data, size);
}

static void lib_finish(uint8_t *out) { mbedtls_sha256_finish_ret(&state, out); }

#elif AGENT_ALGORITHM_SHA_512

enum { DIGEST_BYTES = 64 };
static mbedtls_sha512_context state;

static void lib_start(void)
{
    mbedtls_sha512_init(&state);
    mbedtls_sha512_starts_ret(&state, 0);
}

static void lib_update(const uint8_t *data, uint16_t size)
{
    mbedtls_sha512_update_ret(&state, data, size);
}

static void lib_finish(uint8_t *out) { mbedtls_sha512_finish_ret(&state, out); }

#else

#define GLUE_MAC 1
#if AGENT_ALGORITHM_HMAC_SHA_256
enum { DIGEST_BYTES = 32 };
#define LAB_HASH MBEDTLS_MD_SHA256
#else
enum { DIGEST_BYTES = 64 };
#define LAB_HASH MBEDTLS_MD_SHA512
#endif

static mbedtls_md_context_t state;

/* The context allocates its parts. A new key does not need new ones. */
static void lib_start(const uint8_t *key, uint16_t key_size)
{
    if (!state.md_info)
        mbedtls_md_setup(&state, mbedtls_md_info_from_type(LAB_HASH), 1);
    mbedtls_md_hmac_starts(&state, key, key_size);
}

static void lib_update(const uint8_t *data, uint16_t size)
{
    mbedtls_md_hmac_update(&state, data, size);
}

static void lib_finish(uint8_t *out) { mbedtls_md_hmac_finish(&state, out); }

#endif

#include "glue_digest.h"
