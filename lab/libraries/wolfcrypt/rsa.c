/* wolfCrypt's RSA-2048 in the lab: OAEP with SHA-256. */
#include "agent.h"
#include "glue_rsa.h"
#include "random.h"

#include <wolfssl/wolfcrypt/rsa.h>

static WC_RNG lab_rng;
static RsaKey pair;

static int lib_keygen(void)
{
    wc_FreeRsaKey(&pair);
    return wc_InitRsaKey(&pair, NULL)
           || wc_MakeRsaKey(&pair, GLUE_RSA_BITS, GLUE_EXPONENT, &lab_rng)
           || wc_RsaSetRNG(&pair, &lab_rng);
}

static void lib_public_key(uint8_t *modulus) { mp_to_unsigned_bin_len(&pair.n, modulus, GLUE_MODULUS); }

static int lib_encrypt(uint8_t *out, const uint8_t *message, uint16_t size)
{
    return wc_RsaPublicEncrypt_ex(message, size, out, GLUE_MODULUS, &pair, &lab_rng, WC_RSA_OAEP_PAD,
                                  WC_HASH_TYPE_SHA256, WC_MGF1SHA256, NULL, 0) != GLUE_MODULUS;
}

static int lib_decrypt(uint8_t *out, uint16_t *size, const uint8_t *ciphertext)
{
    int length = wc_RsaPrivateDecrypt_ex(ciphertext, GLUE_MODULUS, out, GLUE_MODULUS, &pair,
                                         WC_RSA_OAEP_PAD, WC_HASH_TYPE_SHA256, WC_MGF1SHA256, NULL, 0);
    *size = length < 0 ? 0 : (uint16_t)length;
    return length < 0;
}

#include "glue_public_key.h"
