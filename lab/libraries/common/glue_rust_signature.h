/*
 * A signature scheme of a library in Rust, whose functions RUST_SIGN(keygen), RUST_SIGN(sign) and
 * RUST_SIGN(verify) names. Define the sizes of glue_large_signature.h before. All signatures have
 * SIGNATURE_BYTES.
 */
#ifndef GLUE_RUST_SIGNATURE_H
#define GLUE_RUST_SIGNATURE_H

#include "glue_message.h"

int RUST_SIGN(keygen)(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed);
int RUST_SIGN(sign)(uint8_t *signature, const struct glue_message *message, const uint8_t *private_key,
                    const uint8_t *random);
int RUST_SIGN(verify)(const uint8_t *signature, size_t size, const struct glue_message *message,
                      const uint8_t *public_key);

#define lib_keygen RUST_SIGN(keygen)
#define lib_verify RUST_SIGN(verify)

static int lib_sign(uint8_t *signature, size_t *size, const struct glue_message *message,
                    const uint8_t *private_key)
{
    uint8_t random[RANDOM_BYTES];
    glue_drawn(random, sizeof random);
    *size = SIGNATURE_BYTES;
    return RUST_SIGN(sign)(signature, message, private_key, random);
}

#include "glue_large_signature.h"

#endif
