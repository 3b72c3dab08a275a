/* Ascon-AEAD128: encryption [SP800-232, 4.1.1]. */
#include <string.h>

#include "ascon.h"

enum selo_status selo_ascon_aead128_seal(const struct selo_ascon_aead128_key *key,
                                         const struct selo_header *header, uint8_t *out,
                                         const uint8_t *in, size_t size, uint8_t *tag)
{
    uint64_t state[5];
    uint8_t whole[16];
    uint8_t position = 0;

    if (!selo_ascon_aead128_takes(header)) {
        selo_wipe(out, size);
        selo_wipe(tag, header->tag_size);
        return SELO_ERROR_ARGUMENT;
    }
    selo_ascon_aead128_begin(state, key->bytes, header);
    while (size >= 16) {
#if ASCON_WORDS
        ascon_encrypt_16(state, out, in);
        in += 16;
        out += 16;
#else
        do {
            selo_ascon_add_byte(state, position, *in++);
            *out++ = selo_ascon_byte(state, position++);
        } while (position != 16);
#endif
        selo_ascon_permute(state, 8);
        position = 0;
        size -= 16;
    }
    for (; size != 0; size--) {
        selo_ascon_add_byte(state, position, *in++);
        *out++ = selo_ascon_byte(state, position++);
    }
    selo_ascon_aead128_end(state, key->bytes, position, whole);
    memcpy(tag, whole, header->tag_size);
    selo_wipe(whole, sizeof whole); /* the bytes cut from a short tag are secret */
    return SELO_OK;
}
