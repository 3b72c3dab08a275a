/*
 * wolfCrypt's SLH-DSA in the lab, by its functions for whole messages; with LAB_HASHED by those for a message's
 * SHA-256, which is then what the lab gives as the message.
 */
#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/wc_slhdsa.h>

#include "random.h"

enum { PUBLIC_BYTES = 32, PRIVATE_BYTES = 64, SEED_BYTES = 48, RANDOM_BYTES = 16 };
enum { SIGNATURE_BYTES = WC_SLHDSA_MAX_SIG_LEN };

static SlhDsaKey key;

#if LAB_HASHED
#define LAB_SIGN wc_SlhDsaKey_SignHashWithRandom
#define LAB_VERIFY wc_SlhDsaKey_VerifyHash
#define LAB_MESSAGE message->bytes, (word32)message->size, WC_HASH_TYPE_SHA256
#else
#define LAB_SIGN wc_SlhDsaKey_SignWithRandom
#define LAB_VERIFY wc_SlhDsaKey_Verify
#define LAB_MESSAGE message->bytes, (word32)message->size
#endif

static int lab_begin(void)
{
    wc_SlhDsaKey_Free(&key);
    return wc_SlhDsaKey_Init(&key, LAB_SET, NULL, INVALID_DEVID);
}

static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
{
    word32 public_bytes = PUBLIC_BYTES, private_bytes = PRIVATE_BYTES;
    return lab_begin()
           || wc_SlhDsaKey_MakeKeyWithRandom(&key, seed, 16, seed + 16, 16, seed + 32, 16)
           || wc_SlhDsaKey_ExportPublic(&key, public_key, &public_bytes)
           || wc_SlhDsaKey_ExportPrivate(&key, private_key, &private_bytes);
}

static int lib_sign(uint8_t *signature, size_t *size, const struct glue_message *message,
                    const uint8_t *private_key)
{
    uint8_t random[RANDOM_BYTES];
    word32 bytes = SIGNATURE_BYTES;
    glue_drawn(random, sizeof random);
    const int failed =
        lab_begin() || wc_SlhDsaKey_ImportPrivate(&key, private_key, PRIVATE_BYTES)
        || LAB_SIGN(&key, message->context, (byte)message->context_size, LAB_MESSAGE, signature, &bytes,
                    random);
    *size = bytes;
    return failed;
}

static int lib_verify(const uint8_t *signature, size_t size, const struct glue_message *message,
                      const uint8_t *public_key)
{
    return lab_begin() || wc_SlhDsaKey_ImportPublic(&key, public_key, PUBLIC_BYTES)
           || LAB_VERIFY(&key, message->context, (byte)message->context_size, LAB_MESSAGE, signature,
                         (word32)size);
}

#include "glue_large_signature.h"
