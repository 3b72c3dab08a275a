/* HMAC_DRBG [SP800-90A, 10.1.2]: start, reseed and generate. */
#include <string.h>

#include "hmac_drbg.h"

/*
 * `left` counts the requests until the next seed, plus SPENT: 0 says that no start succeeded, and
 * only a start changes that. The standard allows 2^48 requests.
 */
static const uint32_t SPENT = 1, MOST = 0xffffffff;

enum selo_status selo_hmac_drbg_start(struct selo_hmac_drbg *state, const void *seed, size_t size)
{
    selo_hmac_drbg_clear(state);
    if (size < SELO_HMAC_DRBG_SEED) {
        return SELO_ERROR_ARGUMENT;
    }
    selo_hmac_drbg_update(state, seed, size);
    state->left = MOST;
    return SELO_OK;
}

enum selo_status selo_hmac_drbg_reseed(struct selo_hmac_drbg *state, const void *seed, size_t size)
{
    if (size < SELO_HMAC_DRBG_RESEED) {
        return SELO_ERROR_ARGUMENT;
    }
    if (state->left < SPENT) {
        return SELO_ERROR_STATE; /* without the nonce of a start, two devices might give the same bytes */
    }
    selo_hmac_drbg_update(state, seed, size);
    state->left = MOST;
    return SELO_OK;
}

enum selo_status selo_hmac_drbg_generate(struct selo_hmac_drbg *state, void *out, size_t size,
                                         const void *more, size_t more_size)
{
    uint8_t *to = out;

    if (size > SELO_HMAC_DRBG_MOST || state->left <= SPENT) {
        if (size != 0) {
            memset(out, 0, size);
        }
        return state->left <= SPENT ? SELO_ERROR_STATE : SELO_ERROR_ARGUMENT;
    }
    state->left--;
    if (more_size != 0) {
        selo_hmac_drbg_update(state, more, more_size);
    }
    while (size != 0) {
        const uint8_t part = (uint8_t)(size < 32 ? size : 32);
        selo_hmac_drbg_next(state);
        memcpy(to, state->value, part);
        to += part;
        size -= part;
    }
    selo_hmac_drbg_update(state, more, more_size);
    return SELO_OK;
}

enum selo_status selo_hmac_drbg_random(void *source, uint8_t *out, size_t size)
{
    if (selo_hmac_drbg_generate(source, out, size, NULL, 0) != SELO_OK) {
        return SELO_ERROR_RANDOM;
    }
    return SELO_OK;
}
