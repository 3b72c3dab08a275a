/*
 * The functions for which Cifra's README states cycles [CIFRA], called as its own measuring program
 * calls them: whole functions, a key of zeros, a message of zeros, contexts on the stack. A variant
 * is a build of the library (library.toml). Each operation is one line of the README.
 */
#include "agent.h"

#include <aes.h>
#include <curve25519.h>
#include <hmac.h>
#include <modes.h>
#include <norx.h>
#include <poly1305.h>
#include <salsa20.h>
#include <sha2.h>
#include <sha3.h>

#define OPERATION(name)                                                      \
    static __attribute__((noinline)) void run_##name(void);                  \
    static uint8_t name(struct agent_call *call)                             \
    {                                                                        \
        (void)call;                                                          \
        AGENT_MEASURE(run_##name());                                         \
        return 0;                                                            \
    }                                                                        \
    static void run_##name(void)

#if AGENT_VARIANT_AES_128 || AGENT_VARIANT_AES_256

#if AGENT_VARIANT_AES_128
enum { KEY_BYTES = 16 };
#else
enum { KEY_BYTES = 32 };
#endif

OPERATION(key_schedule)
{
    uint8_t key[KEY_BYTES] = {0};
    cf_aes_context aes;
    cf_aes_init(&aes, key, sizeof key);
}

OPERATION(block)
{
    uint8_t key[KEY_BYTES] = {0}, data[16] = {0};
    cf_aes_context aes;
    cf_aes_init(&aes, key, sizeof key);
    cf_aes_encrypt(&aes, data, data);
}

#if AGENT_VARIANT_AES_128

enum { MESSAGE_BYTES = 16, HEADER_BYTES = 16, TAG_BYTES = 16 };

OPERATION(gcm)
{
    uint8_t key[KEY_BYTES] = {0};
    cf_aes_context aes;
    cf_aes_init(&aes, key, sizeof key);
    uint8_t message[MESSAGE_BYTES] = {0}, header[HEADER_BYTES] = {0}, nonce[12] = {0};
    uint8_t sealed[MESSAGE_BYTES] = {0}, tag[TAG_BYTES] = {0};
    cf_gcm_encrypt(&cf_aes, &aes, message, sizeof message, header, sizeof header, nonce,
                   sizeof nonce, sealed, tag, sizeof tag);
}

OPERATION(eax)
{
    uint8_t key[KEY_BYTES] = {0};
    cf_aes_context aes;
    cf_aes_init(&aes, key, sizeof key);
    uint8_t message[MESSAGE_BYTES] = {0}, header[HEADER_BYTES] = {0}, nonce[12] = {0};
    uint8_t sealed[MESSAGE_BYTES] = {0}, tag[TAG_BYTES] = {0};
    cf_eax_encrypt(&cf_aes, &aes, message, sizeof message, header, sizeof header, nonce,
                   sizeof nonce, sealed, tag, sizeof tag);
}

OPERATION(ccm)
{
    enum { LENGTH_BYTES = 4 };
    uint8_t key[KEY_BYTES] = {0};
    cf_aes_context aes;
    cf_aes_init(&aes, key, sizeof key);
    uint8_t message[MESSAGE_BYTES] = {0}, header[HEADER_BYTES] = {0}, nonce[11] = {0};
    uint8_t sealed[MESSAGE_BYTES] = {0}, tag[TAG_BYTES] = {0};
    cf_ccm_encrypt(&cf_aes, &aes, message, sizeof message, LENGTH_BYTES, header, sizeof header,
                   nonce, sizeof nonce, sealed, tag, sizeof tag);
}

static const uint8_t *const text = (const uint8_t *)"hello world";
enum { TEXT_BYTES = 11 };

OPERATION(poly1305)
{
    uint8_t key[32] = {0}, nonce[16] = {0}, sealed_nonce[16], tag[16];
    cf_aes_context aes;
    cf_aes_init(&aes, key, 16);
    cf_aes_encrypt(&aes, nonce, sealed_nonce);
    cf_poly1305 poly;
    cf_poly1305_init(&poly, key + 16, sealed_nonce);
    cf_poly1305_update(&poly, text, TEXT_BYTES);
    cf_poly1305_finish(&poly, tag);
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SCHEDULE, "key-schedule", key_schedule)
    AGENT_OPERATION(BLOCK, "block", block)
    AGENT_OPERATION(GCM, "gcm", gcm)
    AGENT_OPERATION(EAX, "eax", eax)
    AGENT_OPERATION(CCM, "ccm", ccm)
    AGENT_OPERATION(POLY1305, "poly1305", poly1305))

#else

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SCHEDULE, "key-schedule", key_schedule)
    AGENT_OPERATION(BLOCK, "block", block))

#endif
#elif AGENT_VARIANT_PLAIN

/* The hash of an empty message, as in the program that was measured. */
#define HASH_OF_NOTHING(name, context, size)      \
    OPERATION(name)                               \
    {                                             \
        uint8_t digest[size];                     \
        context hash;                             \
        cf_##name##_init(&hash);                  \
        cf_##name##_update(&hash, "", 0);         \
        cf_##name##_digest_final(&hash, digest);  \
    }

HASH_OF_NOTHING(sha256, cf_sha256_context, CF_SHA256_HASHSZ)
HASH_OF_NOTHING(sha512, cf_sha512_context, CF_SHA512_HASHSZ)
HASH_OF_NOTHING(sha3_256, cf_sha3_context, CF_SHA3_256_HASHSZ)
HASH_OF_NOTHING(sha3_512, cf_sha3_context, CF_SHA3_512_HASHSZ)

OPERATION(hmac_sha256)
{
    uint8_t key[32] = {0}, tag[32] = {0};
    cf_hmac_ctx mac;
    cf_hmac_init(&mac, &cf_sha256, key, sizeof key);
    cf_hmac_update(&mac, (const uint8_t *)"hello world", 11);
    cf_hmac_finish(&mac, tag);
}

OPERATION(salsa20)
{
    uint8_t key[32] = {0}, nonce[8] = {0}, message[64] = {0}, sealed[64] = {0};
    cf_salsa20_ctx stream;
    cf_salsa20_init(&stream, key, sizeof key, nonce);
    cf_salsa20_cipher(&stream, message, sealed, sizeof message);
}

OPERATION(chacha20)
{
    uint8_t key[32] = {0}, nonce[8] = {0}, message[64] = {0}, sealed[64] = {0};
    cf_chacha20_ctx stream;
    cf_chacha20_init(&stream, key, sizeof key, nonce);
    cf_chacha20_cipher(&stream, message, sealed, sizeof message);
}

OPERATION(norx)
{
    uint8_t key[16] = {0}, message[16] = {0}, header[16] = {0}, nonce[8] = {0};
    uint8_t sealed[16] = {0}, tag[16] = {0};
    cf_norx32_encrypt(key, nonce, header, sizeof header, message, sizeof message, NULL, 0, sealed,
                      tag);
}

AGENT_OPERATIONS(
    AGENT_OPERATION(SHA_256, "sha-256", sha256)
    AGENT_OPERATION(SHA_512, "sha-512", sha512)
    AGENT_OPERATION(SHA3_256, "sha3-256", sha3_256)
    AGENT_OPERATION(SHA3_512, "sha3-512", sha3_512)
    AGENT_OPERATION(HMAC_SHA_256, "hmac-sha-256", hmac_sha256)
    AGENT_OPERATION(SALSA20, "salsa20", salsa20)
    AGENT_OPERATION(CHACHA20, "chacha20", chacha20)
    AGENT_OPERATION(NORX, "norx", norx))

#else

OPERATION(curve25519)
{
    uint8_t secret[32] = {1}, public_key[32];
    cf_curve25519_mul_base(public_key, secret);
}

AGENT_OPERATIONS(AGENT_OPERATION(CURVE25519, "curve25519", curve25519))

#endif
