/* What the files of ChaCha20-Poly1305 share [RFC8439, 2.8]. */
#ifndef SELO_CHACHA20_POLY1305_H
#define SELO_CHACHA20_POLY1305_H

#include "../../selo.h"

/* The tag of a ciphertext under the one-time key that block 0 of the key stream gives
 * [RFC8439, 2.6]. Leaves the block counter at 0. */
void selo_chacha20_poly1305_tag(uint32_t state[16], uint8_t tag[16],
                                const struct selo_header *header, const uint8_t *ciphertext,
                                size_t size);

/* 1 if the algorithm takes these sizes [RFC8439, 2.8]. */
static inline uint8_t selo_chacha20_poly1305_takes(const struct selo_header *header)
{
    return header->nonce_size == 12 && header->tag_size >= 8 && header->tag_size <= 16;
}

#endif
