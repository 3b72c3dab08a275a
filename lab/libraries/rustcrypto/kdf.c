/* RustCrypto's HKDF in the lab. */
#include "agent.h"
#include "names.h"

int RC_HASHED(rc_hkdf_, derive)(uint8_t *out, uint16_t size, struct agent_field salt,
                                struct agent_field key, struct agent_field info);

static int lib_derive(uint8_t *out, uint16_t size, const struct agent_field *salt,
                      const struct agent_field *key, const struct agent_field *info)
{
    return RC_HASHED(rc_hkdf_, derive)(out, size, *salt, *key, *info);
}

#include "glue_kdf.h"
