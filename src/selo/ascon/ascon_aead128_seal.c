/* Ascon-AEAD128: encryption [SP800-232, 4.1.1]. */
#include <string.h>

#include "ascon.h"

enum selo_status selo_ascon_aead128_seal(const uint8_t key[16], const uint8_t nonce[16],
                                         const void *ad, size_t ad_size, uint8_t *out,
                                         const uint8_t *in, size_t size, uint8_t *tag,
                                         size_t tag_size)
{
    uint64_t state[5];
    uint8_t whole[16];
    uint8_t position = 0;

    if (tag_size < 4 || tag_size > 16) {
        selo_wipe(out, size);
        selo_wipe(tag, tag_size);
        return SELO_ERROR_ARGUMENT;
    }
    selo_ascon_aead128_begin(state, key, nonce, ad, ad_size);
    while (size >= 16) {
        do {
            selo_ascon_add_byte(state, position, *in++);
            *out++ = selo_ascon_byte(state, position++);
        } while (position != 16);
        selo_ascon_permute(state, 8);
        position = 0;
        size -= 16;
    }
    for (; size != 0; size--) {
        selo_ascon_add_byte(state, position, *in++);
        *out++ = selo_ascon_byte(state, position++);
    }
    selo_ascon_aead128_end(state, key, position, whole);
    memcpy(tag, whole, tag_size);
    selo_wipe(whole, sizeof whole); /* a tag cut short keeps its other bytes secret */
    return SELO_OK;
}
