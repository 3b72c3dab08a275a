/* LibTomCrypt's HKDF in the lab. */
#include "agent.h"
#include "hash.h"

static int lib_derive(uint8_t *out, uint16_t size, const struct agent_field *salt,
                      const struct agent_field *key, const struct agent_field *info)
{
    return hkdf(register_hash(&LAB_HASH), salt->data, salt->size, info->data, info->size, key->data,
                key->size, out, size);
}

#include "glue_kdf.h"
