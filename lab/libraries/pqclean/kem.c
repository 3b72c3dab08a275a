/* PQClean's ML-KEM in the lab, by the names that every scheme of PQClean has. */
#include "glue_pqclean.h"

#include <string.h>

enum {
    PUBLIC_BYTES = PQ(CRYPTO_PUBLICKEYBYTES),
    PRIVATE_BYTES = PQ(CRYPTO_SECRETKEYBYTES),
    CIPHERTEXT_BYTES = PQ(CRYPTO_CIPHERTEXTBYTES)
};

/* The random bytes of the next call, which the library takes in one piece. */
static const uint8_t *drawn;

int PQCLEAN_randombytes(uint8_t *out, size_t size);
int PQCLEAN_randombytes(uint8_t *out, size_t size)
{
    memcpy(out, drawn, size);
    drawn += size;
    return 0;
}

static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
{
    drawn = seed;
    return PQ(crypto_kem_keypair)(public_key, private_key);
}

static int lib_encapsulate(uint8_t *ciphertext, uint8_t *secret, const uint8_t *public_key,
                           const uint8_t *random)
{
    drawn = random;
    return PQ(crypto_kem_enc)(ciphertext, secret, public_key);
}

static int lib_decapsulate(uint8_t *secret, const uint8_t *private_key, const uint8_t *ciphertext)
{
    return PQ(crypto_kem_dec)(secret, ciphertext, private_key);
}

#include "glue_kem.h"
