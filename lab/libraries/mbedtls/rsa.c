/* Mbed TLS's RSA-2048 in the lab: OAEP with SHA-256. */
#include "agent.h"
#include "glue_rsa.h"
#include "random.h"

#include <mbedtls/rsa.h>

static mbedtls_rsa_context pair;

static int lib_keygen(void)
{
    mbedtls_rsa_free(&pair);
    mbedtls_rsa_init(&pair, MBEDTLS_RSA_PKCS_V21, MBEDTLS_MD_SHA256);
    return mbedtls_rsa_gen_key(&pair, lab_random, NULL, GLUE_RSA_BITS, GLUE_EXPONENT);
}

static void lib_public_key(uint8_t *modulus)
{
    mbedtls_mpi_write_binary(&pair.N, modulus, GLUE_MODULUS);
}

static int lib_encrypt(uint8_t *out, const uint8_t *message, uint16_t size)
{
    return mbedtls_rsa_rsaes_oaep_encrypt(&pair, lab_random, NULL, MBEDTLS_RSA_PUBLIC, NULL, 0,
                                          size, message, out);
}

static int lib_decrypt(uint8_t *out, uint16_t *size, const uint8_t *ciphertext)
{
    size_t length = 0;
    int failed = mbedtls_rsa_rsaes_oaep_decrypt(&pair, lab_random, NULL, MBEDTLS_RSA_PRIVATE, NULL,
                                                0, &length, ciphertext, out, AGENT_IO_BYTES);
    *size = (uint16_t)length;
    return failed;
}

#include "glue_public_key.h"
