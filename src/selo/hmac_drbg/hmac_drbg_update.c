/* The steps of HMAC_DRBG. */
#include <string.h>

#include "../common/compiler.h"
#include "hmac_drbg.h"

void selo_hmac_drbg_clear(struct selo_hmac_drbg *state)
{
    memset(state->key, 0, sizeof state->key);
    memset(state->value, 1, sizeof state->value);
    state->left = 0;
}

SELO_STACK_APART void selo_hmac_drbg_next(struct selo_hmac_drbg *state)
{
    struct selo_hmac_sha256 mac;

    selo_hmac_sha256_start(&mac, state->key, sizeof state->key);
    selo_hmac_sha256_update(&mac, state->value, sizeof state->value);
    selo_hmac_sha256_finish(&mac, state->value);
}

/* K = HMAC(K, V || mark || data) */
static SELO_STACK_APART void mix(struct selo_hmac_drbg *state, uint8_t mark, const void *data,
                                 size_t size)
{
    struct selo_hmac_sha256 mac;

    selo_hmac_sha256_start(&mac, state->key, sizeof state->key);
    selo_hmac_sha256_update(&mac, state->value, sizeof state->value);
    selo_hmac_sha256_update(&mac, &mark, 1);
    selo_hmac_sha256_update(&mac, data, size);
    selo_hmac_sha256_finish(&mac, state->key);
}

void selo_hmac_drbg_update(struct selo_hmac_drbg *state, const void *data, size_t size)
{
    mix(state, 0, data, size);
    selo_hmac_drbg_next(state);
    if (size != 0) {
        mix(state, 1, data, size);
        selo_hmac_drbg_next(state);
    }
}
