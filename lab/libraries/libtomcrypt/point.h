/* A key pair of P-256 for LibTomCrypt. The library has no call that takes a given secret. It makes the
 * secret from random bytes, as many as the curve's size, so the random source gives the host's. */
#ifndef LAB_POINT_H
#define LAB_POINT_H

#include "random.h"

#include <string.h>

enum { PUBLIC_BYTES = 64 };

static const uint8_t *lab_secret;

static unsigned long lab_read_secret(unsigned char *out, unsigned long size, prng_state *prng)
{
    (void)prng;
    memcpy(out, lab_secret, size);
    return size;
}

static const struct ltc_prng_descriptor lab_secret_descriptor = {.name = "secret",
                                                                 .read = lab_read_secret};

static const ltc_ecc_set_type *lab_curve(void)
{
    const ltc_ecc_set_type *curve = ltc_ecc_sets;
    while (strcmp(curve->name, "ECC-256") != 0)
        curve++;
    return curve;
}

static int lab_pair(ecc_key *key, const uint8_t *secret)
{
    lab_secret = secret;
    if (key->k)
        ecc_free(key);
    return ecc_make_key_ex(&lab_prng, register_prng(&lab_secret_descriptor), key, lab_curve());
}

#endif
