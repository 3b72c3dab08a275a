/* Mbed TLS's HKDF in the lab. */
#include "agent.h"

#include <mbedtls/hkdf.h>

static int lib_derive(uint8_t *out, uint16_t size, const struct agent_field *salt,
                      const struct agent_field *key, const struct agent_field *info)
{
    return mbedtls_hkdf(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), salt->data, salt->size,
                        key->data, key->size, info->data, info->size, out, size);
}

#include "glue_kdf.h"
