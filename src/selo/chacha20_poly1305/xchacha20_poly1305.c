/* XChaCha20-Poly1305 [XCHACHA, 2]. */
#include <string.h>

#include "../chacha20/chacha20.h"
#include "chacha20_poly1305.h"

void selo_xchacha20_poly1305_setup(struct selo_xchacha20_poly1305_key *key, const uint8_t raw[32])
{
    memcpy(key->bytes, raw, 32);
}

/* HChaCha20 [XCHACHA, 2.2]: words 0 to 3 and 12 to 15 after the rounds. The block function has added
 * the state to them, which is taken away again. */
static void derive(struct selo_chacha20_poly1305_key *key, const uint8_t from[32],
                   const uint8_t nonce[16])
{
    uint32_t state[16], stream[16];
    uint8_t *out = key->bytes;

    selo_chacha20_start(state, from, nonce + 4);
    for (uint8_t i = 4; i-- != 0;) {
        state[12] = state[12] << 8 | nonce[i];
    }
    chacha20_block(stream, state);
    for (uint8_t i = 0; i < 16; i++) {
        const uint8_t *bytes = (const uint8_t *)&stream[i];
        uint32_t word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                        (uint32_t)bytes[3] << 24;
        word -= state[i];
        if (i < 4 || i >= 12) {
            for (uint8_t byte = 0; byte < 4; byte++) {
                *out++ = (uint8_t)word;
                word >>= 8;
            }
        }
    }
    selo_wipe(state, sizeof state);
    selo_wipe(stream, sizeof stream);
}

/* The header of the inner message: four zeros and the last 8 bytes of the nonce. A nonce of another
 * size than 24 makes one that the inner algorithm refuses. */
static struct selo_header inner(const struct selo_header *header, uint8_t nonce[12])
{
    struct selo_header made = *header;

    if (header->nonce_size == 24) {
        memset(nonce, 0, 4);
        memcpy(nonce + 4, header->nonce + 16, 8);
        made.nonce = nonce;
        made.nonce_size = 12;
    } else {
        made.nonce_size = 0;
    }
    return made;
}

enum selo_status selo_xchacha20_poly1305_seal(const struct selo_xchacha20_poly1305_key *key,
                                              const struct selo_header *header, uint8_t *out,
                                              const uint8_t *in, size_t size, uint8_t *tag)
{
    struct selo_chacha20_poly1305_key derived = {{0}};
    uint8_t nonce[12];
    const struct selo_header made = inner(header, nonce);
    enum selo_status status;

    if (made.nonce_size != 0) {
        derive(&derived, key->bytes, header->nonce);
    }
    status = selo_chacha20_poly1305_seal(&derived, &made, out, in, size, tag);
    selo_wipe(&derived, sizeof derived);
    return status;
}

enum selo_status selo_xchacha20_poly1305_open(const struct selo_xchacha20_poly1305_key *key,
                                              const struct selo_header *header, uint8_t *out,
                                              const uint8_t *in, size_t size, const uint8_t *tag)
{
    struct selo_chacha20_poly1305_key derived = {{0}};
    uint8_t nonce[12];
    const struct selo_header made = inner(header, nonce);
    enum selo_status status;

    if (made.nonce_size != 0) {
        derive(&derived, key->bytes, header->nonce);
    }
    status = selo_chacha20_poly1305_open(&derived, &made, out, in, size, tag);
    selo_wipe(&derived, sizeof derived);
    return status;
}
