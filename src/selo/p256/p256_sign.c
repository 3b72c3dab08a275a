/* Signatures of ECDSA [FIPS186-5, 6.4.1] with a nonce from the secret and the message, as HMAC_DRBG
 * makes it [RFC6979, 3.2]. */
#include <string.h>

#include "../hmac_drbg/hmac_drbg.h"
#include "p256.h"

/* z = the digest modulo n, little-endian [FIPS186-5, 6.4.1]. */
static void digest_to_scalar(uint8_t z[32], const uint8_t digest[32])
{
    selo_p256_swap(z, digest);
    selo_p256_scalar_canonical(z);
}

/* Seeds the generator with the secret and the digest modulo n, both big-endian. */
static SELO_STACK_APART void start(struct selo_hmac_drbg *g, const uint8_t secret[32], const uint8_t z[32])
{
    uint8_t seed[64];

    memcpy(seed, secret, 32);
    selo_p256_swap(seed + 32, z);
    selo_hmac_drbg_clear(g);
    selo_hmac_drbg_update(g, seed, sizeof seed);
    selo_wipe(seed, sizeof seed);
}

/* r = x of nonce * the base point, modulo n. */
static SELO_STACK_APART void commit(uint8_t r[32], const uint8_t nonce[32])
{
    struct selo_p256_work w;

    memcpy(w.signs, nonce, 32);
    selo_p256_base(&w);
    selo_p256_leave(r, w.x);
    selo_p256_scalar_canonical(r); /* p is below 2 n */
    selo_wipe(&w, sizeof w);
    selo_p256_wipe_scratch();
}

/* One try: r and s, little-endian. Returns 0 if the nonce is not one, or gives r or s of 0. */
static uint8_t try_nonce(uint8_t r[32], uint8_t s[32], const uint8_t secret[32], const uint8_t z[32],
                         const uint8_t candidate[32])
{
    uint8_t nonce[32], scalar[32];
    uint8_t found = 0;

    selo_p256_swap(nonce, candidate);
    if (selo_p256_is_scalar(nonce)) {
        commit(r, nonce);
        selo_p256_scalar_invert(nonce, nonce);
        selo_p256_swap(scalar, secret);
        selo_p256_scalar_enter(s, r);
        selo_p256_scalar_multiply(s, s, scalar);
        selo_p256_scalar_add(s, s, z);
        selo_p256_scalar_multiply(s, nonce, s); /* (z + r secret) / nonce */
        found = selo_p256_is_scalar(r) & selo_p256_is_scalar(s);
    }
    selo_wipe(nonce, sizeof nonce);
    selo_wipe(scalar, sizeof scalar);
    selo_p256_wipe_scratch();
    return found;
}

static uint8_t is_secret(const uint8_t secret[32])
{
    uint8_t scalar[32];

    selo_p256_swap(scalar, secret);
    const uint8_t valid = selo_p256_is_scalar(scalar);
    selo_wipe(scalar, sizeof scalar);
    return valid;
}

enum selo_status selo_p256_sign_digest(uint8_t signature[64], const uint8_t secret[32],
                                       const uint8_t digest[32])
{
    struct selo_hmac_drbg g;
    uint8_t z[32], r[32], s[32];

    memset(signature, 0, 64);
    if (!is_secret(secret)) {
        return SELO_ERROR_KEY;
    }
    digest_to_scalar(z, digest);
    start(&g, secret, z);
    selo_hmac_drbg_next(&g);
    while (!try_nonce(r, s, secret, z, g.value)) { /* once in 2^32 signatures */
        selo_hmac_drbg_update(&g, NULL, 0);
        selo_hmac_drbg_next(&g);
    }
    selo_p256_swap(signature, r);
    selo_p256_swap(signature + 32, s);
    selo_wipe(&g, sizeof g);
    selo_wipe(s, sizeof s);
    return SELO_OK;
}

static SELO_STACK_APART void hash(uint8_t digest[32], const void *message, size_t size)
{
    struct selo_sha256 state;

    selo_sha256_start(&state);
    selo_sha256_update(&state, message, size);
    selo_sha256_finish(&state, digest);
}

enum selo_status selo_p256_sign(uint8_t signature[64], const uint8_t secret[32], const void *message,
                                size_t size)
{
    uint8_t digest[32];

    hash(digest, message, size);
    return selo_p256_sign_digest(signature, secret, digest);
}
