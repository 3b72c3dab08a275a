/* PQClean's signature schemes in the lab, by the names that every scheme of PQClean has. */
#include "scheme.h"

#include "glue_message.h"

enum {
    PUBLIC_BYTES = PQ(_CRYPTO_PUBLICKEYBYTES),
    PRIVATE_BYTES = PQ(_CRYPTO_SECRETKEYBYTES),
    SIGNATURE_BYTES = PQ(_CRYPTO_BYTES),
    SEED_BYTES = PQCLEAN_SEED,
    RANDOM_BYTES = PQCLEAN_RANDOM
};

int PQCLEAN_randombytes(uint8_t *out, size_t size)
{
    glue_drawn(out, size);
    return 0;
}

static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
{
    (void)seed; /* drawn by the library */
    return PQ(_crypto_sign_keypair)(public_key, private_key);
}

#ifdef PQCLEAN_CONTEXT
#define CONTEXT message->context, message->context_size,
#define SIGN PQ(_crypto_sign_signature_ctx)
#define VERIFY PQ(_crypto_sign_verify_ctx)
#else
#define GLUE_NO_CONTEXT
#define CONTEXT
#define SIGN PQ(_crypto_sign_signature)
#define VERIFY PQ(_crypto_sign_verify)
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
