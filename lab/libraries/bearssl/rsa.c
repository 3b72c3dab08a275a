/* BearSSL's RSA-2048 in the lab: OAEP with SHA-256. LAB_RSA(name) is a name of the implementation. */
#include "agent.h"
#include "glue_random.h"
#include "glue_rsa.h"

#include <bearssl_rand.h>
#include <bearssl_rsa.h>
#include <string.h>

static void lab_init(const br_prng_class **rng, const void *params, const void *seed, size_t size)
{
    (void)rng, (void)params, (void)seed, (void)size;
}

static void lab_generate(const br_prng_class **rng, void *out, size_t size)
{
    (void)rng;
    glue_random(out, size);
}

static void lab_update(const br_prng_class **rng, const void *seed, size_t size)
{
    (void)rng, (void)seed, (void)size;
}

static const br_prng_class lab_class = {sizeof(br_prng_class *), lab_init, lab_generate, lab_update};
static const br_prng_class *lab_random = &lab_class;

static br_rsa_private_key private_key;
static br_rsa_public_key public_key;
static uint8_t private_numbers[BR_RSA_KBUF_PRIV_SIZE(GLUE_RSA_BITS)];
static uint8_t public_numbers[BR_RSA_KBUF_PUB_SIZE(GLUE_RSA_BITS)];

static int lib_keygen(void)
{
    return !LAB_RSA(keygen)(&lab_random, &private_key, private_numbers, &public_key,
                            public_numbers, GLUE_RSA_BITS, GLUE_EXPONENT);
}

static void lib_public_key(uint8_t *modulus) { memcpy(modulus, public_key.n, GLUE_MODULUS); }

static int lib_encrypt(uint8_t *out, const uint8_t *message, uint16_t size)
{
    return LAB_RSA(oaep_encrypt)(&lab_random, &br_sha256_vtable, NULL, 0, &public_key, out,
                                 GLUE_MODULUS, message, size) != GLUE_MODULUS;
}

static int lib_decrypt(uint8_t *out, uint16_t *size, const uint8_t *ciphertext)
{
    size_t length = GLUE_MODULUS;
    memcpy(out, ciphertext, GLUE_MODULUS);
    uint32_t done = LAB_RSA(oaep_decrypt)(&br_sha256_vtable, NULL, 0, &private_key, out, &length);
    *size = (uint16_t)length;
    return !done;
}

#include "glue_public_key.h"
