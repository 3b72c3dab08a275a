/*
 * A signature scheme with the names of PQClean, which the manifest gives as PQCLEAN_API and PQCLEAN_SCHEME
 * (glue_pqclean.h). PQCLEAN_SEED and PQCLEAN_RANDOM are the bytes that a key pair and a signature draw. With
 * PQCLEAN_CONTEXT, messages have a context. Define the library's source of random bytes by glue_drawn()
 * before.
 */
#ifndef GLUE_PQCLEAN_SIGN_H
#define GLUE_PQCLEAN_SIGN_H

#include "glue_message.h"
#include "glue_pqclean.h"

enum {
    PUBLIC_BYTES = PQ(CRYPTO_PUBLICKEYBYTES),
    PRIVATE_BYTES = PQ(CRYPTO_SECRETKEYBYTES),
    SIGNATURE_BYTES = PQ(CRYPTO_BYTES),
    SEED_BYTES = PQCLEAN_SEED,
    RANDOM_BYTES = PQCLEAN_RANDOM
};

static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
{
    (void)seed; /* drawn by the library */
    return PQ(crypto_sign_keypair)(public_key, private_key);
}

#ifdef PQCLEAN_CONTEXT
#define CONTEXT message->context, message->context_size,
#define SIGN PQ(crypto_sign_signature_ctx)
#define VERIFY PQ(crypto_sign_verify_ctx)
#else
#define GLUE_NO_CONTEXT
#define CONTEXT
#define SIGN PQ(crypto_sign_signature)
#define VERIFY PQ(crypto_sign_verify)
#endif

static int lib_sign(uint8_t *signature, size_t *size, const struct glue_message *message,
                    const uint8_t *private_key)
{
    return SIGN(signature, size, message->bytes, message->size, CONTEXT private_key);
}

static int lib_verify(const uint8_t *signature, size_t size, const struct glue_message *message,
                      const uint8_t *public_key)
{
    return VERIFY(signature, size, message->bytes, message->size, CONTEXT public_key);
}

#include "glue_large_signature.h"

#endif
