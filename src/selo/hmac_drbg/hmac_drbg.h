/* The steps of HMAC_DRBG [SP800-90A, 10.1.2], which are also those of [RFC6979, 3.2]. */
#ifndef SELO_HMAC_DRBG_INTERNAL_H
#define SELO_HMAC_DRBG_INTERNAL_H

#include "../../selo_hmac_drbg.h"

/* The state before any seed. */
void selo_hmac_drbg_clear(struct selo_hmac_drbg *state);

/* HMAC_DRBG_Update [SP800-90A, 10.1.2.2] */
void selo_hmac_drbg_update(struct selo_hmac_drbg *state, const void *data, size_t size);

/* The next value: V = HMAC(K, V) */
void selo_hmac_drbg_next(struct selo_hmac_drbg *state);

#endif
