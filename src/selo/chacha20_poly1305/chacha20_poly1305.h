/* Internal declarations shared by the files of ChaCha20-Poly1305 [RFC8439, 2.8]. */
#ifndef SELO_CHACHA20_POLY1305_H
#define SELO_CHACHA20_POLY1305_H

#include "../../selo.h"

/* Computes the tag of a ciphertext. Block 0 of the key stream gives the one-time key
 * [RFC8439, 2.6]. Leaves the block counter at 0. */
void selo_chacha20_poly1305_tag(uint32_t state[16], uint8_t tag[16],
                                const struct selo_header *header, const uint8_t *ciphertext,
                                size_t size);

/* Returns 1 if the algorithm accepts these sizes [RFC8439, 2.8], else 0. */
static inline uint8_t selo_chacha20_poly1305_takes(const struct selo_header *header)
{
    return header->nonce_size == 12 && header->tag_size >= 8 && header->tag_size <= 16;
}

#endif
