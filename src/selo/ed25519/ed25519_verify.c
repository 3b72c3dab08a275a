/* Verification of signatures [RFC8032, 5.1.7]; selo_ed25519.h says how strict it is. */
#include <string.h>

#include "ed25519.h"

static void start(struct selo_sha512 *hash, const uint8_t signature[64], const uint8_t public_key[32])
{
    selo_sha512_start(hash);
    selo_sha512_update(hash, signature, 32);
    selo_sha512_update(hash, public_key, 32);
}

static void finish(uint8_t k[32], struct selo_sha512 *hash)
{
    uint8_t digest[64];

    selo_sha512_finish(hash, digest);
    selo_ed25519_reduce(k, digest);
}

/* Apart, so that the state of the hash is gone from the stack before the equation. */
static SELO_STACK_APART void hash_all(uint8_t k[32], const uint8_t signature[64],
                                      const uint8_t public_key[32], const void *message, size_t size)
{
    struct selo_sha512 hash;

    start(&hash, signature, public_key);
    selo_sha512_update(&hash, message, size);
    finish(k, &hash);
}

static enum selo_status check(const uint8_t signature[64], const uint8_t public_key[32],
                              const uint8_t k[32])
{
    if (!selo_ed25519_is_scalar(signature + 32)) {
        return SELO_ERROR_TAG;
    }
    return selo_ed25519_equation(signature, signature + 32, public_key, k);
}

enum selo_status selo_ed25519_verify(const uint8_t signature[64], const uint8_t public_key[32],
                                     const void *message, size_t size)
{
    uint8_t k[32];

    hash_all(k, signature, public_key, message, size);
    return check(signature, public_key, k);
}

void selo_ed25519_verify_start(struct selo_ed25519_verification *state, const uint8_t signature[64],
                               const uint8_t public_key[32])
{
    memcpy(state->signature, signature, 64);
    memcpy(state->public_key, public_key, 32);
    start(&state->hash, signature, public_key);
    state->started = 1;
}

void selo_ed25519_verify_update(struct selo_ed25519_verification *state, const void *data,
                                size_t size)
{
    if (state->started == 1) {
        selo_sha512_update(&state->hash, data, size);
    }
}

enum selo_status selo_ed25519_verify_finish(struct selo_ed25519_verification *state)
{
    uint8_t k[32];
    enum selo_status status = SELO_ERROR_STATE;

    if (state->started == 1) {
        finish(k, &state->hash);
        status = check(state->signature, state->public_key, k);
    }
    selo_wipe(state, sizeof *state);
    return status;
}
