/* wolfCrypt's verification of LMS, HSS and XMSS in the lab. */
#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/error-crypt.h>

#if LAB_XMSS
#include <wolfssl/wolfcrypt/wc_xmss.h>

enum { PUBLIC_BYTES = 68, SIGNATURE_BYTES = 2500 };
static XmssKey key;
#define LAB_KEY(what) wc_XmssKey_##what
#define LAB_SET_PARAMETERS wc_XmssKey_SetParamStr(&key, "XMSS-SHA2_10_256")
#else
#include <wolfssl/wolfcrypt/wc_lms.h>

enum { PUBLIC_BYTES = 60, SIGNATURE_BYTES = LAB_SIGNATURE };
static LmsKey key;
#define LAB_KEY(what) wc_LmsKey_##what
#define LAB_SET_PARAMETERS wc_LmsKey_SetParameters(&key, LAB_SHAPE)
#endif

#include "random.h"

static int lib_verify(const uint8_t *signature, size_t size, const struct glue_message *message,
                      const uint8_t *public_key)
{
    LAB_KEY(Free)(&key);
    return LAB_KEY(Init)(&key, NULL, INVALID_DEVID) || LAB_SET_PARAMETERS
           || LAB_KEY(ImportPubRaw)(&key, public_key, PUBLIC_BYTES)
           || LAB_KEY(Verify)(&key, signature, (word32)size, message->bytes, (int)message->size);
}

#define GLUE_NO_CONTEXT
#define GLUE_VERIFIES_ONLY
#include "glue_large_signature.h"
