/* Ascon-AEAD128: decryption [SP800-232, 4.1.2]. */
#include "ascon.h"

enum selo_status selo_ascon_aead128_open(const struct selo_ascon_aead128_key *key,
                                         const struct selo_header *header, uint8_t *out,
                                         const uint8_t *in, size_t size, const uint8_t *tag)
{
    uint64_t state[5];
    uint8_t whole[16];
    uint8_t *start = out;
    uint8_t position = 0;
    uint8_t genuine;
    size_t left;

    if (!selo_ascon_aead128_takes(header)) {
        selo_wipe(out, size);
        return SELO_ERROR_ARGUMENT;
    }
    selo_ascon_aead128_begin(state, key->bytes, header);
    for (left = size; left >= 16; left -= 16) {
#if ASCON_WORDS
        ascon_decrypt_16(state, out, in);
        in += 16;
        out += 16;
#else
        do {
            uint8_t byte = *in++ ^ selo_ascon_byte(state, position);
            selo_ascon_add_byte(state, position++, byte);
            *out++ = byte;
        } while (position != 16);
#endif
        selo_ascon_permute(state, 8);
        position = 0;
    }
    for (; left != 0; left--) {
        uint8_t byte = *in++ ^ selo_ascon_byte(state, position);
        selo_ascon_add_byte(state, position++, byte);
        *out++ = byte;
    }
    selo_ascon_aead128_end(state, key->bytes, position, whole);
    genuine = selo_equal(whole, tag, header->tag_size);
    selo_wipe(whole, sizeof whole);
    if (!genuine) {
        selo_wipe(start, size);
        return SELO_ERROR_TAG;
    }
    return SELO_OK;
}
