/* ChaCha20-Poly1305: encryption [RFC8439, 2.8]. */
#include <string.h>

#include "../chacha20/chacha20.h"
#include "chacha20_poly1305.h"

enum selo_status selo_chacha20_poly1305_seal(const struct selo_chacha20_poly1305_key *key,
                                             const struct selo_header *header, uint8_t *out,
                                             const uint8_t *in, size_t size, uint8_t *tag)
{
    uint32_t state[16];
    uint8_t whole[16];

    if (!selo_chacha20_poly1305_takes(header)) {
        selo_wipe(out, size);
        selo_wipe(tag, header->tag_size);
        return SELO_ERROR_ARGUMENT;
    }
    selo_chacha20_start(state, key->bytes, header->nonce);
    state[12] = 1;
    chacha20_xor(state, out, in, size);
    selo_chacha20_poly1305_tag(state, whole, header, out, size);
    memcpy(tag, whole, header->tag_size);
    selo_wipe(state, sizeof state);
    selo_wipe(whole, sizeof whole); /* the bytes cut from a short tag are secret */
    return SELO_OK;
}
