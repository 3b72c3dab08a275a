/* liboqs's ML-KEM in the lab: mlkem-native, by its functions that are given their random bytes. */
#include "kem.h"

#include "program_end.h"

enum {
    PUBLIC_BYTES = MLKEM_INDCCA_PUBLICKEYBYTES,
    PRIVATE_BYTES = MLKEM_INDCCA_SECRETKEYBYTES,
    CIPHERTEXT_BYTES = MLKEM_INDCCA_CIPHERTEXTBYTES
};

static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
{
    return crypto_kem_keypair_derand(public_key, private_key, seed);
}

static int lib_encapsulate(uint8_t *ciphertext, uint8_t *secret, const uint8_t *public_key,
                           const uint8_t *random)
{
    return crypto_kem_enc_derand(ciphertext, secret, public_key, random);
}

static int lib_decapsulate(uint8_t *secret, const uint8_t *private_key, const uint8_t *ciphertext)
{
    return crypto_kem_dec(secret, ciphertext, private_key);
}

#include "glue_kem.h"
