/*
 * Decapsulates correctly, and its time shows whether the ciphertext was rejected. It compares the
 * secret with that of the last encapsulation.
 */
#include "selo_mlkem.h"

#include <string.h>

enum {
    PUBLIC_BYTES = sizeof(struct selo_mlkem512_public_key),
    PRIVATE_BYTES = sizeof(struct selo_mlkem512_private_key),
    CIPHERTEXT_BYTES = sizeof(struct selo_mlkem512_ciphertext)
};

static uint8_t last[32];

static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
{
    selo_mlkem512_keygen((struct selo_mlkem512_public_key *)public_key,
                         (struct selo_mlkem512_private_key *)private_key, seed);
    return 0;
}

static int lib_encapsulate(uint8_t *ciphertext, uint8_t *secret, const uint8_t *public_key,
                           const uint8_t *random)
{
    const int failed = selo_mlkem512_encapsulate((struct selo_mlkem512_ciphertext *)ciphertext, secret,
                                                 (const struct selo_mlkem512_public_key *)public_key,
                                                 random);
    memcpy(last, secret, sizeof last);
    return failed;
}

static int lib_decapsulate(uint8_t *secret, const uint8_t *private_key, const uint8_t *ciphertext)
{
    selo_mlkem512_decapsulate(secret, (const struct selo_mlkem512_private_key *)private_key,
                              (const struct selo_mlkem512_ciphertext *)ciphertext);
    if (memcmp(secret, last, sizeof last) != 0)
        for (volatile uint8_t i = 0; i < 100; i++)
            ;
    return 0;
}

#include "glue_kem.h"
