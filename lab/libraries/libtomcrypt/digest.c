/* LibTomCrypt's hashes in the lab, and HMAC over them. */
#include "hash.h"

#if AGENT_ALGORITHM_HMAC_SHA_256 || AGENT_ALGORITHM_HMAC_SHA_512 || AGENT_ALGORITHM_HMAC_SHA3_256    \
    || AGENT_ALGORITHM_HMAC_SHA3_512 || AGENT_ALGORITHM_HMAC_BLAKE2S

#define GLUE_MAC 1
static hmac_state state;

static void lib_start(const uint8_t *key, uint16_t key_size)
{
    hmac_init(&state, register_hash(&LAB_HASH), key, key_size);
}
static void lib_update(const uint8_t *data, uint16_t size) { hmac_process(&state, data, size); }
static void lib_finish(uint8_t *out)
{
    unsigned long size = DIGEST_BYTES;
    hmac_done(&state, out, &size);
}

#else

static hash_state state;

static void lib_start(void) { LAB_HASH.init(&state); }
static void lib_update(const uint8_t *data, uint16_t size) { LAB_HASH.process(&state, data, size); }
static void lib_finish(uint8_t *out) { LAB_HASH.done(&state, out); }

#endif

#include "glue_digest.h"
