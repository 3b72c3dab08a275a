/*
 * wolfCrypt's ML-DSA in the lab, by its functions with a context; with LAB_HASHED by those for a message's
 * SHA-512, which is then what the lab gives as the message.
 */
#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/wc_mldsa.h>

#include "random.h"

#if LAB_MLDSA == 44
enum { PUBLIC_BYTES = 1312, PRIVATE_BYTES = 2560, SIGNATURE_BYTES = 2420 };
#define LAB_SET WC_ML_DSA_44
#elif LAB_MLDSA == 65
enum { PUBLIC_BYTES = 1952, PRIVATE_BYTES = 4032, SIGNATURE_BYTES = 3309 };
#define LAB_SET WC_ML_DSA_65
#else
enum { PUBLIC_BYTES = 2592, PRIVATE_BYTES = 4896, SIGNATURE_BYTES = 4627 };
#define LAB_SET WC_ML_DSA_87
#endif
enum { SEED_BYTES = 32, RANDOM_BYTES = 32 };

static wc_MlDsaKey key;

#define LAB_CONTEXT message->context, (byte)message->context_size
#if LAB_HASHED
#define LAB_SIGN wc_MlDsaKey_SignCtxHashWithSeed
#define LAB_VERIFY wc_MlDsaKey_VerifyCtxHash
#define LAB_MESSAGE message->bytes, (word32)message->size, WC_HASH_TYPE_SHA512
#else
#define LAB_SIGN wc_MlDsaKey_SignCtxWithSeed
#define LAB_VERIFY wc_MlDsaKey_VerifyCtx
#define LAB_MESSAGE message->bytes, (word32)message->size
#endif

static int lab_begin(void)
{
    wc_MlDsaKey_Free(&key);
    return wc_MlDsaKey_Init(&key, NULL, INVALID_DEVID) || wc_MlDsaKey_SetParams(&key, LAB_SET);
}

static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
{
    word32 public_bytes = PUBLIC_BYTES, private_bytes = PRIVATE_BYTES;
    return lab_begin() || wc_MlDsaKey_MakeKeyFromSeed(&key, seed)
           || wc_MlDsaKey_ExportPubRaw(&key, public_key, &public_bytes)
           || wc_MlDsaKey_ExportPrivRaw(&key, private_key, &private_bytes);
}

static int lib_sign(uint8_t *signature, size_t *size, const struct glue_message *message,
                    const uint8_t *private_key)
{
    uint8_t random[RANDOM_BYTES];
    word32 bytes = SIGNATURE_BYTES;
    glue_drawn(random, sizeof random);
    const int failed =
        lab_begin() || wc_MlDsaKey_ImportPrivRaw(&key, private_key, PRIVATE_BYTES)
        || LAB_SIGN(&key, LAB_CONTEXT, signature, &bytes, LAB_MESSAGE, random);
    *size = bytes;
    return failed;
}

static int lib_verify(const uint8_t *signature, size_t size, const struct glue_message *message,
                      const uint8_t *public_key)
{
    int valid = 0;
    return lab_begin() || wc_MlDsaKey_ImportPubRaw(&key, public_key, PUBLIC_BYTES)
           || LAB_VERIFY(&key, signature, (word32)size, LAB_CONTEXT, LAB_MESSAGE, &valid)
           || !valid;
}

#include "glue_large_signature.h"
