/* ChaCha20-Poly1305 has no key schedule. The struct holds the key itself [RFC8439, 2.8]. */
#include <string.h>

#include "../../selo.h"

void selo_chacha20_poly1305_setup(struct selo_chacha20_poly1305_key *key, const uint8_t raw[32])
{
    memcpy(key->bytes, raw, sizeof key->bytes);
}
