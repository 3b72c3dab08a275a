/* wolfCrypt's hashes in the lab, and HMAC over them. */
#include <stdint.h>
#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/blake2.h>
#include <wolfssl/wolfcrypt/hmac.h>

#if AGENT_ALGORITHM_SHA_512 || AGENT_ALGORITHM_HMAC_SHA_512 || AGENT_ALGORITHM_SHA3_512              \
    || AGENT_ALGORITHM_HMAC_SHA3_512
enum { DIGEST_BYTES = 64 };
#else
enum { DIGEST_BYTES = 32 };
#endif

#if AGENT_ALGORITHM_SHA_256
static wc_Sha256 state;
static void lib_start(void) { wc_InitSha256(&state); }
static void lib_update(const uint8_t *data, uint16_t size) { wc_Sha256Update(&state, data, size); }
static void lib_finish(uint8_t *out) { wc_Sha256Final(&state, out); }
#elif AGENT_ALGORITHM_SHA_512
static wc_Sha512 state;
static void lib_start(void) { wc_InitSha512(&state); }
static void lib_update(const uint8_t *data, uint16_t size) { wc_Sha512Update(&state, data, size); }
static void lib_finish(uint8_t *out) { wc_Sha512Final(&state, out); }
#elif AGENT_ALGORITHM_SHA3_256
static wc_Sha3 state;
static void lib_start(void) { wc_InitSha3_256(&state, NULL, INVALID_DEVID); }
static void lib_update(const uint8_t *data, uint16_t size) { wc_Sha3_256_Update(&state, data, size); }
static void lib_finish(uint8_t *out) { wc_Sha3_256_Final(&state, out); }
#elif AGENT_ALGORITHM_SHA3_512
static wc_Sha3 state;
static void lib_start(void) { wc_InitSha3_512(&state, NULL, INVALID_DEVID); }
static void lib_update(const uint8_t *data, uint16_t size) { wc_Sha3_512_Update(&state, data, size); }
static void lib_finish(uint8_t *out) { wc_Sha3_512_Final(&state, out); }
#elif AGENT_ALGORITHM_BLAKE2S
static Blake2s state;
static void lib_start(void) { wc_InitBlake2s(&state, DIGEST_BYTES); }
static void lib_update(const uint8_t *data, uint16_t size) { wc_Blake2sUpdate(&state, data, size); }
static void lib_finish(uint8_t *out) { wc_Blake2sFinal(&state, out, DIGEST_BYTES); }
#else

#define GLUE_MAC 1
#if AGENT_ALGORITHM_HMAC_SHA_256
#define LAB_HASH WC_SHA256
#elif AGENT_ALGORITHM_HMAC_SHA_512
#define LAB_HASH WC_SHA512
#elif AGENT_ALGORITHM_HMAC_SHA3_256
#define LAB_HASH WC_SHA3_256
#else
#define LAB_HASH WC_SHA3_512
#endif

static Hmac state;

static void lib_start(const uint8_t *key, uint16_t key_size)
{
    wc_HmacInit(&state, NULL, INVALID_DEVID);
    wc_HmacSetKey(&state, LAB_HASH, key, key_size);
}
static void lib_update(const uint8_t *data, uint16_t size) { wc_HmacUpdate(&state, data, size); }
static void lib_finish(uint8_t *out) { wc_HmacFinal(&state, out); }
#endif

#include "glue_digest.h"
