/*
 * SLH-DSA of a library in Rust, whose functions RC_SLH(keygen), RC_SLH(sign) and RC_SLH(verify) names.
 * A signature of the small sets has 7,856 bytes, of the fast ones 17,088.
 */
#ifndef GLUE_RUST_SLH_H
#define GLUE_RUST_SLH_H

enum { PUBLIC_BYTES = 32, PRIVATE_BYTES = 64, SEED_BYTES = 48, RANDOM_BYTES = 16 };

#if AGENT_ALGORITHM_SLH_DSA_SHA2_128S || AGENT_ALGORITHM_SLH_DSA_SHAKE_128S
enum { SIGNATURE_BYTES = 7856 };
#else
enum { SIGNATURE_BYTES = 17088 };
#endif

int RC_SLH(keygen)(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed);
int RC_SLH(sign)(uint8_t *signature, const struct glue_message *message, const uint8_t *private_key,
                 const uint8_t *random);
int RC_SLH(verify)(const uint8_t *signature, size_t size, const struct glue_message *message,
                   const uint8_t *public_key);

#define lib_keygen RC_SLH(keygen)
#define lib_verify RC_SLH(verify)

static int lib_sign(uint8_t *signature, size_t *size, const struct glue_message *message,
                    const uint8_t *private_key)
{
    uint8_t random[RANDOM_BYTES];
    glue_drawn(random, sizeof random);
    *size = SIGNATURE_BYTES;
    return RC_SLH(sign)(signature, message, private_key, random);
}

#include "glue_large_signature.h"

#endif
