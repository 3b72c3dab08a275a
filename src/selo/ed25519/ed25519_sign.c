/* Key pairs and signatures of Ed25519 [RFC8032, 5.1.5, 5.1.6]. */
#include <string.h>

#include "ed25519.h"

/* The secret scalar, clamped, and behind it the prefix for signatures. */
static SELO_STACK_APART void expand(uint8_t expanded[64], const uint8_t seed[32])
{
    struct selo_sha512 hash;

    selo_sha512_start(&hash);
    selo_sha512_update(&hash, seed, 32);
    selo_sha512_finish(&hash, expanded);
    expanded[0] &= 248;
    expanded[31] = (uint8_t)((expanded[31] & 127) | 64);
}

/* SHA-512 of two parts, the second of which may be empty, and the message, modulo L. */
static SELO_STACK_APART void hash_to_scalar(uint8_t scalar[32], const uint8_t *first,
                                            const uint8_t *second, const void *message, size_t size)
{
    struct selo_sha512 hash;
    uint8_t digest[64];

    selo_sha512_start(&hash);
    selo_sha512_update(&hash, first, 32);
    if (second != NULL) {
        selo_sha512_update(&hash, second, 32);
    }
    selo_sha512_update(&hash, message, size);
    selo_sha512_finish(&hash, digest);
    selo_ed25519_reduce(scalar, digest);
    selo_wipe(digest, sizeof digest);
}

void selo_ed25519_keygen(struct selo_ed25519_key *key, const uint8_t seed[32])
{
    uint8_t expanded[64];

    memcpy(key->seed, seed, 32);
    expand(expanded, seed);
    selo_ed25519_base(key->public_key, expanded);
    selo_wipe(expanded, sizeof expanded);
}

void selo_ed25519_sign(uint8_t signature[64], const struct selo_ed25519_key *key,
                       const void *message, size_t size)
{
    uint8_t expanded[64], nonce[32], k[32];

    expand(expanded, key->seed);
    hash_to_scalar(nonce, expanded + 32, NULL, message, size);
    selo_ed25519_base(signature, nonce);
    hash_to_scalar(k, signature, key->public_key, message, size);
    selo_ed25519_multiply_add(signature + 32, k, expanded, nonce);
    selo_wipe(expanded, sizeof expanded);
    selo_wipe(nonce, sizeof nonce);
}
