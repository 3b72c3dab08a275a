/* Ascon-AEAD128: the steps common to sealing and opening [SP800-232, 4.1]. */
#include <string.h>

#include "ascon.h"

/* Adds 16 bytes to the state from byte `position` on, a multiple of 8. */
static void add_block(uint64_t state[5], uint8_t position, const uint8_t block[16])
{
#if ASCON_WORDS
    ascon_add_16(state + position / 8, block);
#else
    for (uint8_t i = 0; i < 16; i++) {
        selo_ascon_add_byte(state, (uint8_t)(position + i), block[i]);
    }
#endif
}

void selo_ascon_aead128_begin(uint64_t state[5], const uint8_t key[16],
                              const struct selo_header *header)
{
    const uint8_t *bytes = header->ad;
    size_t ad_size = header->ad_size;

    memset(state, 0, 40);
    state[0] = 0x00001000808c0001;
    add_block(state, 8, key);
    add_block(state, 24, header->nonce);
    selo_ascon_permute(state, 12);
    add_block(state, 24, key);
    if (ad_size != 0) {
        uint8_t position = 0;
#if ASCON_WORDS
        for (; ad_size >= 16; ad_size -= 16) {
            ascon_add_16(state, bytes);
            bytes += 16;
            selo_ascon_permute(state, 8);
        }
#endif
        for (; ad_size != 0; ad_size--) {
            selo_ascon_add_byte(state, position++, *bytes++);
            if (position == 16) {
                selo_ascon_permute(state, 8);
                position = 0;
            }
        }
        selo_ascon_add_byte(state, position, 0x01);
        selo_ascon_permute(state, 8);
    }
    selo_ascon_add_byte(state, 39, 0x80);
}

void selo_ascon_aead128_end(uint64_t state[5], const uint8_t key[16], uint8_t rest,
                            uint8_t tag[16])
{
    selo_ascon_add_byte(state, rest, 0x01);
    add_block(state, 16, key);
    selo_ascon_permute(state, 12);
#if ASCON_WORDS
    selo_xor_16(tag, (const uint8_t *)(state + 3), key);
#else
    for (uint8_t i = 0; i < 16; i++) {
        tag[i] = selo_ascon_byte(state, (uint8_t)(24 + i)) ^ key[i];
    }
#endif
    selo_wipe(state, 40);
}
