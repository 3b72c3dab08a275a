/* The tag of ChaCha20-Poly1305 [RFC8439, 2.8]. */
#include "../chacha20/chacha20.h"
#include "../poly1305/poly1305.h"
#include "chacha20_poly1305.h"

static void put_size(uint8_t field[8], size_t size)
{
    for (uint8_t i = 0; i < 8; i++) {
        field[i] = (uint8_t)size;
        size >>= 8;
    }
}

/* Not inlined, so that the key stream leaves the stack before the message is processed. */
static SELO_APART void start(struct selo_poly1305 *mac, uint32_t state[16])
{
    uint32_t stream[16];

    state[12] = 0;
    chacha20_block(stream, state);
    selo_poly1305_start(mac, (const uint8_t *)stream);
    selo_wipe(stream, sizeof stream);
}

void selo_chacha20_poly1305_tag(uint32_t state[16], uint8_t tag[16],
                                const struct selo_header *header, const uint8_t *ciphertext,
                                size_t size)
{
    struct selo_poly1305 mac;
    uint8_t sizes[16];

    start(&mac, state);
    selo_poly1305_padded(&mac, header->ad, header->ad_size);
    selo_poly1305_padded(&mac, ciphertext, size);
    put_size(sizes, header->ad_size);
    put_size(sizes + 8, size);
    selo_poly1305_padded(&mac, sizes, 16);
    selo_poly1305_finish(&mac, tag);
}
