/* wolfCrypt's SLH-DSA in the lab, by its functions for whole messages. */
#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/wc_slhdsa.h>

#include "random.h"

enum { PUBLIC_BYTES = 32, PRIVATE_BYTES = 64, SEED_BYTES = 48, RANDOM_BYTES = 16 };
enum { SIGNATURE_BYTES = WC_SLHDSA_MAX_SIG_LEN };

static SlhDsaKey key;

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
        || wc_SlhDsaKey_SignWithRandom(&key, message->context, (byte)message->context_size,
                                       message->bytes, (word32)message->size, signature, &bytes,
                                       random);
    *size = bytes;
    return failed;
}

static int lib_verify(const uint8_t *signature, size_t size, const struct glue_message *message,
                      const uint8_t *public_key)
{
    return lab_begin() || wc_SlhDsaKey_ImportPublic(&key, public_key, PUBLIC_BYTES)
           || wc_SlhDsaKey_Verify(&key, message->context, (byte)message->context_size,
                                  message->bytes, (word32)message->size, signature, (word32)size);
}

#include "glue_large_signature.h"
