/* wolfCrypt's Falcon in the lab. */
#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/falcon.h>
#include <wolfssl/wolfcrypt/random.h>

#include "random.h"

#if LAB_LEVEL == FALCON_LEVEL1
enum { PUBLIC_BYTES = 897, PRIVATE_BYTES = 1281, SIGNATURE_BYTES = 752 };
#else
enum { PUBLIC_BYTES = 1793, PRIVATE_BYTES = 2305, SIGNATURE_BYTES = 1462 };
#endif
enum { SEED_BYTES = 48, RANDOM_BYTES = 88 };

static falcon_key key;
static WC_RNG lab_rng;

static int lab_begin(void)
{
    wc_falcon_free(&key);
    return wc_falcon_init(&key) || wc_falcon_set_level(&key, LAB_LEVEL);
}

static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
{
    word32 public_bytes = PUBLIC_BYTES, private_bytes = PRIVATE_BYTES;
    (void)seed; /* drawn by the library */
    return lab_begin() || wc_falcon_make_key(&key, &lab_rng)
           || wc_falcon_export_public(&key, public_key, &public_bytes)
           || wc_falcon_export_private_only(&key, private_key, &private_bytes);
}

static int lib_sign(uint8_t *signature, size_t *size, const struct glue_message *message,
                    const uint8_t *private_key)
{
    word32 bytes = SIGNATURE_BYTES;
    const int failed =
        lab_begin() || wc_falcon_import_private_only(private_key, PRIVATE_BYTES, &key)
        || wc_falcon_sign_msg(message->bytes, (word32)message->size, signature, &bytes, &key, &lab_rng);
    *size = bytes;
    return failed;
}

static int lib_verify(const uint8_t *signature, size_t size, const struct glue_message *message,
                      const uint8_t *public_key)
{
    int valid = 0;
    return lab_begin() || wc_falcon_import_public(public_key, PUBLIC_BYTES, &key)
           || wc_falcon_verify_msg(signature, (word32)size, message->bytes, (word32)message->size,
                                   &valid, &key)
           || !valid;
}

#define GLUE_NO_CONTEXT
#include "glue_large_signature.h"
