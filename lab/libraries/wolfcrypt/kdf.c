/* wolfCrypt's HKDF in the lab. */
#include "agent.h"

#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/hmac.h>

static int lib_derive(uint8_t *out, uint16_t size, const struct agent_field *salt,
                      const struct agent_field *key, const struct agent_field *info)
{
    return wc_HKDF(WC_SHA256, key->data, key->size, salt->data, salt->size, info->data, info->size,
                   out, size);
}

#include "glue_kdf.h"
