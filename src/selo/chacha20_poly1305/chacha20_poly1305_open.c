/* ChaCha20-Poly1305: verification, then decryption [RFC8439, 2.8]. */
#include "../chacha20/chacha20.h"
#include "chacha20_poly1305.h"

enum selo_status selo_chacha20_poly1305_open(const struct selo_chacha20_poly1305_key *key,
                                             const struct selo_header *header, uint8_t *out,
                                             const uint8_t *in, size_t size, const uint8_t *tag)
{
    uint32_t state[16];
    uint8_t whole[16];
    enum selo_status status = SELO_ERROR_ARGUMENT;

    if (selo_chacha20_poly1305_takes(header)) {
        selo_chacha20_start(state, key->bytes, header->nonce);
        selo_chacha20_poly1305_tag(state, whole, header, in, size);
        if (selo_equal(whole, tag, header->tag_size)) {
            state[12] = 1;
            chacha20_xor(state, out, in, size);
            status = SELO_OK;
        } else {
            selo_wipe(out, size);
            status = SELO_ERROR_TAG;
        }
        selo_wipe(state, sizeof state);
        selo_wipe(whole, sizeof whole);
        return status;
    }
    selo_wipe(out, size);
    return status;
}
