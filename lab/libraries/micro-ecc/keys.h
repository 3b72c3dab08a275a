/* micro-ecc's keys of P-256, and its random source: that of the glue. */
#ifndef LAB_KEYS_H
#define LAB_KEYS_H

#include "glue_random.h"

#include <uECC.h>

enum { PUBLIC_BYTES = 64 };

static int lab_random(uint8_t *out, unsigned size)
{
    glue_random(out, size);
    return 1;
}

#define GLUE_BEGIN() uECC_set_rng(lab_random)

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    return !uECC_compute_public_key(secret, public_key, uECC_secp256r1());
}

#endif
