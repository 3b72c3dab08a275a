/* The key of an algorithm chosen at run time. */
#include <string.h>

#include "../../selo.h"

enum selo_status selo_aead_setup(struct selo_aead_key *key, const struct selo_aead *aead,
                                 const uint8_t *raw, size_t raw_size)
{
    if (raw_size != aead->key_size) {
        selo_wipe(key, sizeof *key);
        return SELO_ERROR_ARGUMENT;
    }
    key->aead = aead;
    aead->setup(key, raw);
    return SELO_OK;
}
