/* BearSSL's HKDF in the lab. */
#include "agent.h"

#include <bearssl_kdf.h>

static int lib_derive(uint8_t *out, uint16_t size, const struct agent_field *salt,
                      const struct agent_field *key, const struct agent_field *info)
{
    br_hkdf_context state;
    br_hkdf_init(&state, &br_sha256_vtable, salt->data, salt->size);
    br_hkdf_inject(&state, key->data, key->size);
    br_hkdf_flip(&state);
    return br_hkdf_produce(&state, info->data, info->size, out, size) != size;
}

#include "glue_kdf.h"
