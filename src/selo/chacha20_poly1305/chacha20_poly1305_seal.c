/* ChaCha20-Poly1305: encryption [RFC8439, 2.8]. */
#include <string.h>

#include "../chacha20/chacha20.h"
#include "chacha20_poly1305.h"

enum selo_status selo_chacha20_poly1305_seal(const uint8_t key[32], const uint8_t nonce[12],
                                             const void *ad, size_t ad_size, uint8_t *out,
                                             const uint8_t *in, size_t size, uint8_t *tag,
                                             size_t tag_size)
{
    uint32_t state[16];
    uint8_t whole[16];

    if (tag_size < 8 || tag_size > 16) {
        selo_wipe(out, size);
        selo_wipe(tag, tag_size);
        return SELO_ERROR_ARGUMENT;
    }
    selo_chacha20_start(state, key, nonce);
    state[12] = 1;
    selo_chacha20_xor(state, out, in, size);
    selo_chacha20_poly1305_tag(state, whole, ad, ad_size, out, size);
    memcpy(tag, whole, tag_size);
    selo_wipe(state, sizeof state);
    selo_wipe(whole, sizeof whole); /* a tag cut short keeps its other bytes secret */
    return SELO_OK;
}
