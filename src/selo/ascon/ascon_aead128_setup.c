/* Ascon-AEAD128 has no key schedule. The struct holds the key itself [SP800-232, 4]. */
#include <string.h>

#include "../../selo.h"

void selo_ascon_aead128_setup(struct selo_ascon_aead128_key *key, const uint8_t raw[16])
{
    memcpy(key->bytes, raw, sizeof key->bytes);
}
