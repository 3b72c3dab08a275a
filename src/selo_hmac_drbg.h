/*
 * HMAC_DRBG [SP800-90A, 10.1.2] with SHA-256: random bytes from a seed.
 *
 *     struct selo_hmac_drbg generator;
 *
 *     status = selo_hmac_drbg_start(&generator, seed, size);
 *     status = selo_hmac_drbg_generate(&generator, out, out_size, NULL, 0);
 *
 * It makes many random bytes of few. It makes no entropy: a seed that an attacker can guess makes every
 * output guessable. An AVR has no random source; its seed comes from the jitter of its clocks
 * (selo_jitter.hpp), or from a secret and a counter that are stored before use.
 *
 * The conventions of selo.h apply.
 * Aliasing: no argument may overlap another.
 * Constant time: on every CPU. The time depends on the sizes only.
 */
#ifndef SELO_HMAC_DRBG_H
#define SELO_HMAC_DRBG_H

#include "selo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Do not copy it: two copies give the same bytes. Wipe it after its last use. */
struct selo_hmac_drbg { uint8_t key[32], value[32]; uint32_t left; };

/* Bytes of a seed: at the start the entropy of 32, a nonce of 16, and what else tells this device from
 * others; later the entropy of 32. */
enum { SELO_HMAC_DRBG_SEED = 48, SELO_HMAC_DRBG_RESEED = 32, SELO_HMAC_DRBG_MOST = 32767 };

/* Seeds the generator. The bytes are the standard's entropy input, nonce and personalisation string, one
 * after the other.
 *   Returns: SELO_OK; SELO_ERROR_ARGUMENT if there are fewer than SELO_HMAC_DRBG_SEED.
 * Stack: 334. */
enum selo_status selo_hmac_drbg_start(struct selo_hmac_drbg *state, const void *seed, size_t size);

/* Mixes new entropy in, and what else the caller has. What leaked of the state before helps an attacker
 * no more.
 *   Returns: SELO_OK; SELO_ERROR_ARGUMENT if there are fewer than SELO_HMAC_DRBG_RESEED bytes;
 *   SELO_ERROR_STATE if the start failed.
 * Stack: 330. */
enum selo_status selo_hmac_drbg_reseed(struct selo_hmac_drbg *state, const void *seed, size_t size);

/* Fills out with `size` random bytes, at most SELO_HMAC_DRBG_MOST. `more` may be bytes that are mixed in
 * before, such as a time or a counter; they need not be secret. Afterwards nothing in *state
 * gives `out` away.
 *   Returns: SELO_OK; SELO_ERROR_ARGUMENT for a larger size; SELO_ERROR_STATE if the start failed, or after
 *   2^32 - 2 calls without a reseed.
 * Stack: 342. */
enum selo_status selo_hmac_drbg_generate(struct selo_hmac_drbg *state, void *out, size_t size,
                                         const void *more, size_t more_size);

/* The generator as a random source (selo_random_fn): `source` is a struct selo_hmac_drbg.
 *   Returns: SELO_OK, or SELO_ERROR_RANDOM where selo_hmac_drbg_generate fails. */
enum selo_status selo_hmac_drbg_random(void *source, uint8_t *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
