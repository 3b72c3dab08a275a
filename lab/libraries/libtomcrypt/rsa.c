/* LibTomCrypt's RSA-2048 in the lab: OAEP with SHA-256. */
#include "agent.h"
#include "glue_rsa.h"
#include "random.h"

static rsa_key pair;
static int hash;

static int lib_keygen(void)
{
    lab_begin();
    hash = register_hash(&sha256_desc);
    if (pair.N)
        rsa_free(&pair);
    return rsa_make_key(&lab_prng, lab_prng_index, GLUE_MODULUS, GLUE_EXPONENT, &pair);
}

static void lib_public_key(uint8_t *modulus)
{
    ltc_mp.unsigned_write(pair.N, modulus);
}

static int lib_encrypt(uint8_t *out, const uint8_t *message, uint16_t size)
{
    unsigned long out_size = GLUE_MODULUS;
    return rsa_encrypt_key(message, size, out, &out_size, NULL, 0, &lab_prng, lab_prng_index, hash,
                           &pair);
}

static int lib_decrypt(uint8_t *out, uint16_t *size, const uint8_t *ciphertext)
{
    unsigned long out_size = GLUE_MODULUS;
    int valid = 0;
    int failed = rsa_decrypt_key(ciphertext, GLUE_MODULUS, out, &out_size, NULL, 0, hash, &valid,
                                 &pair);
    *size = (uint16_t)out_size;
    return failed || !valid;
}

#include "glue_public_key.h"
