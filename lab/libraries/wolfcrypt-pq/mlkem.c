/* wolfCrypt's ML-KEM in the lab. */
#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/wc_mlkem.h>

#include <stdint.h>

#if LAB_MLKEM == 512
enum { PUBLIC_BYTES = 800, PRIVATE_BYTES = 1632, CIPHERTEXT_BYTES = 768 };
#define LAB_SET WC_ML_KEM_512
#elif LAB_MLKEM == 768
enum { PUBLIC_BYTES = 1184, PRIVATE_BYTES = 2400, CIPHERTEXT_BYTES = 1088 };
#define LAB_SET WC_ML_KEM_768
#else
enum { PUBLIC_BYTES = 1568, PRIVATE_BYTES = 3168, CIPHERTEXT_BYTES = 1568 };
#define LAB_SET WC_ML_KEM_1024
#endif

static MlKemKey key;

static int lab_begin(void)
{
    wc_MlKemKey_Free(&key);
    return wc_MlKemKey_Init(&key, LAB_SET, NULL, INVALID_DEVID);
}

static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
{
    return lab_begin() || wc_MlKemKey_MakeKeyWithRandom(&key, seed, 64)
           || wc_MlKemKey_EncodePublicKey(&key, public_key, PUBLIC_BYTES)
           || wc_MlKemKey_EncodePrivateKey(&key, private_key, PRIVATE_BYTES);
}

static int lib_encapsulate(uint8_t *ciphertext, uint8_t *secret, const uint8_t *public_key,
                           const uint8_t *random)
{
    return lab_begin() || wc_MlKemKey_DecodePublicKey(&key, public_key, PUBLIC_BYTES)
           || wc_MlKemKey_EncapsulateWithRandom(&key, ciphertext, secret, random, 32);
}

static int lib_decapsulate(uint8_t *secret, const uint8_t *private_key, const uint8_t *ciphertext)
{
    return lab_begin() || wc_MlKemKey_DecodePrivateKey(&key, private_key, PRIVATE_BYTES)
           || wc_MlKemKey_Decapsulate(&key, secret, ciphertext, CIPHERTEXT_BYTES);
}

#include "glue_kem.h"
