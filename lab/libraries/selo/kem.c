/* Selo's ML-KEM on whole keys in the lab. */
#include "selo_mlkem.h"

#include "names.h"

#define KEM(suffix) SELO_NAME(SELO_KEM, suffix)

enum {
    PUBLIC_BYTES = sizeof(struct KEM(_public_key)),
    PRIVATE_BYTES = sizeof(struct KEM(_private_key)),
    CIPHERTEXT_BYTES = sizeof(struct KEM(_ciphertext))
};

static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
{
    KEM(_keygen)((struct KEM(_public_key) *)public_key, (struct KEM(_private_key) *)private_key, seed);
    return 0;
}

static int lib_encapsulate(uint8_t *ciphertext, uint8_t *secret, const uint8_t *public_key,
                           const uint8_t *random)
{
    return KEM(_encapsulate)((struct KEM(_ciphertext) *)ciphertext, secret,
                             (const struct KEM(_public_key) *)public_key, random);
}

static int lib_decapsulate(uint8_t *secret, const uint8_t *private_key, const uint8_t *ciphertext)
{
    KEM(_decapsulate)(secret, (const struct KEM(_private_key) *)private_key,
                      (const struct KEM(_ciphertext) *)ciphertext);
    return 0;
}

#define GLUE_CHECKS 1
static int lib_check(const uint8_t *private_key)
{
    return KEM(_check)((const struct KEM(_private_key) *)private_key);
}

#include "glue_kem.h"
